//! `slots/unreached-collective`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A collective operation that not all slots of the group reach.
pub static RULE: Rule = Rule {
    code: "slots/unreached-collective",
    severity: Severity::Warning,
    summary: "A collective operation that not all slots of the group reach.",
    explanation: r##"
`barrier`, `broadcast`, `reduce` and the other collective operations wait for all slots of the group, those of activities included. A slot
that never calls leaves the others waiting: the run ends with a report of the slots that wait.

Let all slots make the call. If only some of them belong together, name these: `me.among(first, count, stride).barrier()`; or make a group without
slots that no one uses, as `SlotGroup.make(0, 8)`.

Reported are groups that are made in one method and used there and in static functions that it calls, where all calls are seen.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, data:GlobalRail[Int]{self.home() == p}) {
        val group = SlotGroup.make(1, 8);
        val me = group.activities(here)(0);
        val blocks = group.blocks(p);
        finish {
            async at (p) @CUDA {
                finish for (block in 0n..7n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        blocks(block).barrier();
                    }
                }
            }
            Console.OUT.println(me.rank);
        }
        group.delete();
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, data:GlobalRail[Int]{self.home() == p}) {
        val group = SlotGroup.make(1, 8);
        val me = group.activities(here)(0);
        val blocks = group.blocks(p);
        finish {
            async at (p) @CUDA {
                finish for (block in 0n..7n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        blocks(block).barrier();
                    }
                }
            }
            me.barrier();
        }
        group.delete();
    }
}
"##,
};

/// Slots that never call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum UnreachedCollective {
    /// A block of the kernel ends without the call.
    Block { method: MethodId, block: i64 },
    /// The group has slots for blocks, or for activities, that never call a collective operation.
    Side { method: MethodId, is_of_blocks: bool },
    /// The activity with this slot never calls a collective operation.
    Activity { method: MethodId, slot: i64 },
}

impl Render for UnreachedCollective {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (method, who) = match self {
            UnreachedCollective::Block { method, block } => (method, format!("block {block} does")),
            UnreachedCollective::Side { method, is_of_blocks: true } => {
                (method, "the slots for blocks of the group do".to_owned())
            }
            UnreachedCollective::Side { method, is_of_blocks: false } => {
                (method, "the slots for activities of the group do".to_owned())
            }
            UnreachedCollective::Activity { method, slot } => {
                (method, format!("slot {slot} for activities does"))
            }
        };
        let call = cx.method_name(*method);
        RULE.at(range, format!("`{call}` waits for all slots of the group, and {who} not reach it"))
            .note("let all slots make the call, or name those that belong together: `me.among(first, count, stride)`")
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    fn program(sizes: &str, kernel: &str, activity: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ static def f(p:Place, d:GlobalRail[Int]{{self.home() == p}}, n:Int) {{ \
             val group = SlotGroup.make({sizes}); val s = group.blocks(p); val mine = group.activities(here); finish {{ async at (p) @CUDA {{ \
             finish for (b in 0n..3n) async clocked finish for (t in 0n..63n) clocked async {{ {kernel} }} }} {activity} }} }} \
             static val kept = new Rail[Slots](1); static def give(s:Slots) {{ kept(0) = s; }} static def look(s:Slots) {{ s.firstRank(); }} }}"
        )
    }

    #[test]
    fn a_side_that_never_calls_is_reported() {
        check(
            &RULE,
            &program("1, 4", "$0s(b).barrier()$0;", ""),
            "`Slot.barrier` waits for all slots of the group, and the slots for activities of the group do not reach it",
        );
        check(
            &RULE,
            &program("1, 4", "s(b).send(0, d, 0, 1);", "$0mine(0).barrier()$0;"),
            "`Slot.barrier` waits for all slots of the group, and the slots for blocks of the group do not reach it",
        );
        check_none(&RULE, &program("1, 4", "s(b).barrier();", "mine(0).barrier();"));
        check_none(&RULE, &program("0, 4", "s(b).barrier();", ""));
        check_none(&RULE, &program("n, 4", "s(b).barrier();", ""));
        check_none(&RULE, &program("1, 4", "s(b).barrier();", "give(mine);"));
        check(
            &RULE,
            &program("1, 4", "$0s(b).barrier()$0;", "look(mine);"),
            "`Slot.barrier` waits for all slots of the group, and the slots for activities of the group do not reach it",
        );
        check_none(&RULE, &program("1, 4", "s(b).among(1, 4, 1).barrier();", ""));
    }

    #[test]
    fn a_block_that_never_calls_is_reported() {
        check(
            &RULE,
            &program("0, 4", "if (b == 0n) $0s(b).barrier()$0;", ""),
            "`Slot.barrier` waits for all slots of the group, and block 1 does not reach it",
        );
        check(
            &RULE,
            &program("0, 4", "if (b <= 2n) { val me = s(b); $0me.barrier()$0; }", ""),
            "`Slot.barrier` waits for all slots of the group, and block 3 does not reach it",
        );
        check_none(&RULE, &program("0, 2", "if (b < 2n) s(b).barrier();", ""));
        check_none(&RULE, &program("0, 4", "if (b < 2n) s(b).barrier(); else s(b).barrier();", ""));
        check_none(&RULE, &program("0, 4", "if (b < n) s(b).barrier();", ""));
    }

    #[test]
    fn an_activity_that_never_calls_is_reported() {
        check(
            &RULE,
            &program("2, 4", "s(b).barrier();", "$0mine(0).barrier()$0;"),
            "`Slot.barrier` waits for all slots of the group, and slot 1 for activities does not reach it",
        );
        check_none(&RULE, &program("2, 4", "s(b).barrier();", "for (i in 0..1) async mine(i).barrier();"));
    }
}
