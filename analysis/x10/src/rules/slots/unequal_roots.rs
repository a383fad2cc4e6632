//! `slots/unequal-roots`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A collective operation for which slots name different roots.
pub static RULE: Rule = Rule {
    code: "slots/unequal-roots",
    severity: Severity::Warning,
    summary: "A collective operation for which slots name different roots.",
    explanation: r##"
All slots of a collective operation name the same root: the slot whose elements are copied, or which gets the results. If each names itself, they
disagree, and the run ends with an exception. To let each slot be the root once, write a loop over the roots, in which all slots call.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    blocks(block).broadcast(blocks(block).rank, data, 0, 1);
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
                    for (root in 0..7) blocks(block).broadcast(blocks.firstRank() + root, data, root, 1);
                }
            }
        }
    }
}
"##,
};

/// Slots name different roots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum UnequalRoots {
    /// Two blocks of a kernel.
    Blocks { method: MethodId, blocks: (i64, i64) },
    /// Two activities, by the numbers of their slots.
    Activities { method: MethodId, slots: (i64, i64) },
}

impl Render for UnequalRoots {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (method, who) = match self {
            UnequalRoots::Blocks { method, blocks: (first, second) } => {
                (method, format!("blocks {first} and {second}"))
            }
            UnequalRoots::Activities { method, slots: (first, second) } => {
                (method, format!("the activities of slots {first} and {second}"))
            }
        };
        RULE.at(range, format!("{who} name different roots for `{}`", cx.method_name(*method)))
            .note("all slots of a collective operation name the same root; a loop over roots, in which all slots call, makes each the root once")
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    fn kernel(body: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ \
             static def f(p:Place, s:Slots, one:Slot, d:GlobalRail[Int]{{self.home() == p}}, n:Int) {{ finish async at (p) @CUDA {{ \
             finish for (b in 0n..7n) async clocked finish for (t in 0n..63n) clocked async {{ {body} }} }} }} }}"
        )
    }

    #[test]
    fn each_block_as_root_is_reported() {
        let message = "blocks 0 and 1 name different roots for `Slot.broadcast`";
        check(&RULE, &kernel("val me = s(b); me.broadcast($0me.rank$0, d, 0, 1);"), message);
        check(&RULE, &kernel("s(b).broadcast($0b + n$0, d, 0, 1);"), message);
        check(&RULE, &kernel("for (var i:Int = 0n; i < n; ++i) s(b).broadcast($0b$0, d, 0, 1);"), message);
    }

    #[test]
    fn a_common_root_is_none() {
        check_none(
            &RULE,
            &kernel(
                "s(b).broadcast(0, d, 0, 1); s(b).broadcast(n, d, 0, 1); s(b).broadcast(s.firstRank(), d, 0, 1);",
            ),
        );
        check_none(&RULE, &kernel("for (i in 0..7) s(b).broadcast(i, d, 0, 1);"));
        check_none(
            &RULE,
            &kernel("val me = s(b); me.among(b / 2n * 2n, 2, 1).broadcast(b / 2n * 2n, d, 0, 1);"),
        );
    }

    #[test]
    fn each_activity_as_root_is_reported() {
        let program = |call: &str| {
            format!(
                "import x10.util.*; class A {{ static def f(g:SlotGroup, d:Rail[Long]) {{ finish for (i in 0..3) async {call} }} }}"
            )
        };
        check(
            &RULE,
            &program("g.activities(here)(i).broadcast($0i$0, d, 0, 1);"),
            "the activities of slots 0 and 1 name different roots for `Slot.broadcast`",
        );
        check_none(&RULE, &program("g.activities(here)(i).broadcast(0, d, 0, 1);"));
        check_none(&RULE, &program("{ if (i == 0) g.activities(here)(i).broadcast(i, d, 0, 1); }"));
    }
}
