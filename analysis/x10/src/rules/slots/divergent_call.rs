//! `slots/divergent-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::cuda::barrier_divergent::DivergenceCause;
use crate::rules::render::{Render, RenderContext};

/// A call of a slot that not all threads of a block make together.
pub static RULE: Rule = Rule {
    code: "slots/divergent-call",
    severity: Severity::Error,
    summary: "A call of a slot that not all threads of a block make together.",
    explanation: r##"
A slot belongs to a whole block. All threads of the block make a call of the slot together, and one message is sent: the call elects
the thread that does it, and is a barrier of the block. Under a condition that is not the same for all threads, as `thread == 0n`, those
that take another way would be missing.

Write the call without the condition. Conditions that are the same for the whole block are fine, such as those of the index of the block.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread == 0n) {
                        blocks(block).send(0, data, block, 1);
                    }
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    blocks(block).send(0, data, block, 1);
                }
            }
        }
    }
}
"##,
};

/// A call of a slot under a divergent condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivergentCall {
    /// The called operation.
    pub method: MethodId,
    /// The condition.
    pub condition: TextRange,
    /// Why it is divergent.
    pub cause: DivergenceCause,
    /// Whether threads skip the call by a jump.
    pub is_skipped: bool,
}

impl Render for DivergentCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let call = cx.method_name(self.method);
        let message = match self.is_skipped {
            true => format!("some threads of the block skip `{call}`"),
            false => format!("not all threads of the block make the call of `{call}`"),
        };
        let why = match self.cause {
            DivergenceCause::ThreadIndex(local) => {
                format!("it depends on the thread index `{}`", cx.local_name(local))
            }
            DivergenceCause::Argument(local) => {
                format!("it depends on `{}`, which differs from thread to thread", cx.local_name(local))
            }
            DivergenceCause::Data | DivergenceCause::Rounding(_) => {
                "it depends on data that differ from thread to thread".to_owned()
            }
        };
        RULE.at(range, message)
            .note("a block has one slot: all its threads make the call together, and one message is sent")
            .note("write the call outside of the condition, in all threads")
            .related(cx.related(
                self.condition,
                format!("this condition is not the same for all threads of the block: {why}"),
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    fn kernel(body: &str) -> String {
        format!(
            "import x10.compiler.CUDA;\nimport x10.util.*;\nclass A {{\n    static def f(p:Place, s:Slots, d:GlobalRail[Int]{{self.home() == p}}, n:Int) {{\n        \
             finish async at (p) @CUDA {{\n            finish for (b in 0n..7n) async {{\n                clocked finish for (t in 0n..63n) clocked async {{\n                    {body}\n                }}\n            }}\n        }}\n    }}\n}}\n"
        )
    }

    #[test]
    fn a_call_of_one_thread_is_reported() {
        check(
            &RULE,
            &kernel("if (t == 0n) $0s(b).send(0, d, 0, 1)$0;"),
            "not all threads of the block make the call of `Slot.send`",
        );
    }

    #[test]
    fn a_call_of_one_block_is_none() {
        check_none(&RULE, &kernel("if (b == 0n) s(b).send(0, d, 0, 1);"));
        check_none(&RULE, &kernel("for (i in 1n..n) s(b).send(0, d, 0, 1);"));
    }

    #[test]
    fn the_condition_around_a_call_alone_is_removed() {
        check_fix(
            &RULE,
            &kernel("if (t == 0n) { s(b).send(0, d, 0, 1); }"),
            &kernel("s(b).send(0, d, 0, 1);"),
        );
        check_fix(&RULE, &kernel("if (t == 0n) s(b).barrier();"), &kernel("s(b).barrier();"));
    }

    #[test]
    fn a_call_behind_other_statements_moves_behind_the_condition() {
        let before = "if (t == 0n) {\n                        d(b) = 1n;\n                        s(b).send(0, d, b, 1);\n                    }";
        let after = "if (t == 0n) {\n                        d(b) = 1n;\n                    }\n                    s(b).send(0, d, b, 1);";
        check_fix(&RULE, &kernel(before), &kernel(after));
    }
}
