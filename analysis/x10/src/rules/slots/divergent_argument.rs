//! `slots/divergent-argument`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// An argument of a slot's call that differs between the threads of a block.
pub static RULE: Rule = Rule {
    code: "slots/divergent-argument",
    severity: Severity::Error,
    summary: "An argument of a slot's call that differs between the threads of a block.",
    explanation: r##"
A block has one slot, and all its threads make one call together, with the same arguments: who sends, to whom, which elements. If an argument
is computed from the index of a thread, each thread names something else, but only one message is sent, with the arguments of one of them.

A whole block sends a range of elements: name its beginning and the number of elements, and let each thread fill its own part before the call.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    blocks(block).send(0, data, block * 64n + thread, 1);
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
                    blocks(block).send(0, data, block * 64n, 64);
                }
            }
        }
    }
}
"##,
};

/// Threads of a block make a call of its slot with different arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum DivergentArgument {
    /// An argument, or the slot, is computed from a variable that differs between threads.
    Argument { method: MethodId, argument: Argument, variable: LocalId, is_thread_index: bool },
    /// A function makes such a call, with the arguments of this call.
    InCallee { method: MethodId },
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The slot itself.
    Slot,
    /// The argument for this parameter.
    Parameter(String),
}

impl Render for DivergentArgument {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            DivergentArgument::InCallee { method } => {
                RULE.at(
                    range,
                    format!(
                        "the threads that call `{}` make calls of a slot in it with different arguments",
                        cx.method_name(*method)
                    ),
                )
                .note("a block has one slot: all its threads make one call together, with the same arguments")
            }
            DivergentArgument::Argument { method, argument, variable, is_thread_index } => {
                let what = match argument {
                    Argument::Slot => "the slot".to_owned(),
                    Argument::Parameter(name) => format!("the argument `{name}`"),
                };
                let kind = if *is_thread_index { "the thread index" } else { "the parameter" };
                let name = cx.local_name(*variable);
                let instead = match argument {
                    Argument::Slot => "take the slot of the block, by the index of the block",
                    Argument::Parameter(_) => {
                        "name what the whole block sends or receives: a range of elements, one partner; each thread fills or reads its own part"
                    }
                };
                RULE.at(
                    range,
                    format!("{what} of `{}` differs between the threads of a block", cx.method_name(*method)),
                )
                .note(format!("it depends on {kind} `{name}`; all threads of a block make one call together, with the same arguments"))
                .note(instead)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    fn kernel(body: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ \
             @CUDA static def give(me:Slot, to:Long, d:GlobalRail[Int]) {{ me.send(to, d, 0, 1); }} \
             static def f(p:Place, s:Slots, d:GlobalRail[Int]{{self.home() == p}}, n:Int) {{ finish async at (p) @CUDA {{ \
             finish for (b in 0n..7n) async clocked finish for (t in 0n..63n) clocked async {{ {body} }} }} }} }}"
        )
    }

    #[test]
    fn a_partner_by_thread_is_reported() {
        check(
            &RULE,
            &kernel("s(b).send($0t$0, d, 0, 1);"),
            "the argument `to` of `Slot.send` differs between the threads of a block",
        );
    }

    #[test]
    fn a_slot_by_thread_is_reported() {
        check(
            &RULE,
            &kernel("$0s(t)$0.barrier();"),
            "the slot of `Slot.barrier` differs between the threads of a block",
        );
        check(
            &RULE,
            &kernel("val me = s(t); $0me$0.barrier();"),
            "the slot of `Slot.barrier` differs between the threads of a block",
        );
    }

    #[test]
    fn an_argument_of_a_function_is_reported_at_its_call() {
        check(
            &RULE,
            &kernel("$0give(s(b), t, d)$0;"),
            "the threads that call `A.give` make calls of a slot in it with different arguments",
        );
    }

    #[test]
    fn what_all_threads_have_in_common_is_none() {
        check_none(&RULE, &kernel("give(s(b), b, d); s(b).send(n, d, 64 * b, n);"));
        check_none(
            &RULE,
            &kernel("val st = s(b).recv(Slot.ANY_SOURCE, d, 0, 4); s(b).send(st.source, d, 0, st.elements);"),
        );
        check_none(&RULE, &kernel("for (var i:Int = 0n; i < n; ++i) s(b).send(i, d, i, 1);"));
    }
}
