//! `slots/foreign-slot`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A call of a slot that belongs to another block or activity.
pub static RULE: Rule = Rule {
    code: "slots/foreign-slot",
    severity: Severity::Warning,
    summary: "A call of a slot that belongs to another block or activity.",
    explanation: r##"
Each block of a kernel has a slot of its own: `blocks(block)`, by the index of the block. If two blocks call one slot, their messages mix, and
the run ends with an exception as soon as one calls while the other waits. The slots of `group.activities(place)` belong to activities, those of
`group.blocks(place)` to blocks, and beyond the number that the group was made with there are none. A call in a static function is judged with the arguments of each caller, and reported
there.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.*;

class Example {
    static def run(p:Place, blocks:Slots, data:GlobalRail[Int]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    blocks(0).send(0, data, block, 1);
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

/// Why the slot is not that of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum ForeignSlot {
    /// Two blocks call one slot, with this number if it is constant.
    Shared { blocks: (i64, i64), index: Option<i64> },
    /// The group has only `count` slots for blocks.
    Missing { block: i64, index: i64, count: i64 },
    /// A block calls a slot for activities.
    OfActivity,
    /// An activity calls a slot for blocks.
    OfBlock,
}

impl Render for ForeignSlot {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _: &RenderContext<'_>) -> Diagnostic {
        let (message, note) = match self {
            ForeignSlot::Shared { blocks: (first, second), index } => {
                let number = index.map(|it| format!(" number {it}")).unwrap_or_default();
                (
                    format!("blocks {first} and {second} both call slot{number}"),
                    "a slot belongs to one block: take it by the index of the block, `blocks(block)`",
                )
            }
            ForeignSlot::Missing { block, index, count } => (
                format!(
                    "block {block} calls slot number {index}, and the group has {count} slots for blocks of a place"
                ),
                "make the group with as many slots as the kernel has blocks, or let the other blocks make no calls",
            ),
            ForeignSlot::OfActivity => (
                "a block calls a slot for activities".to_owned(),
                "blocks have slots of their own: `group.blocks(place)`, captured by the kernel, gives block `b` the slot `blocks(b)`",
            ),
            ForeignSlot::OfBlock => (
                "an activity calls a slot for blocks of kernels".to_owned(),
                "activities have slots of their own: `group.activities(here)`",
            ),
        };
        RULE.at(range, message).note(note)
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
    fn one_slot_for_all_blocks_is_reported() {
        check(&RULE, &kernel("$0s(3).barrier()$0;"), "blocks 0 and 1 both call slot number 3");
        check(&RULE, &kernel("$0s(b / 2n).barrier()$0;"), "blocks 0 and 1 both call slot");
        check(&RULE, &kernel("$0one.barrier()$0;"), "blocks 0 and 1 both call slot");
    }

    #[test]
    fn a_slot_for_each_block_is_none() {
        check_none(
            &RULE,
            &kernel("s(b).barrier(); s(b + 1n).barrier(); s(7n - b).barrier(); s(n + b).barrier();"),
        );
        check_none(&RULE, &kernel("if (b == 3n) s(0).barrier(); if (b == 4n) one.barrier();"));
    }

    fn group(kernel: &str, activity: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ static def f(p:Place) {{ \
             val group = SlotGroup.make(1, 4); val s = group.blocks(p); val mine = group.activities(here); finish {{ async at (p) @CUDA {{ \
             finish for (b in 0n..7n) async clocked finish for (t in 0n..63n) clocked async {{ {kernel} }} }} {activity} }} }} }}"
        )
    }

    #[test]
    fn slots_that_the_group_has_not_are_reported() {
        check(
            &RULE,
            &group("val me = s(b); $0me.barrier()$0;", "mine(0).barrier();"),
            "block 4 calls slot number 4, and the group has 4 slots for blocks of a place",
        );
        check_none(&RULE, &group("if (b < 4n) s(b).barrier();", "mine(0).barrier();"));
    }

    #[test]
    fn slots_of_the_other_side_are_reported() {
        let kernel = "if (b < 1n) s(b).barrier();";
        check(
            &RULE,
            &group("if (b == 0n) $0mine(b).barrier()$0;", ""),
            "a block calls a slot for activities",
        );
        check(&RULE, &group(kernel, "$0s(1).barrier()$0;"), "an activity calls a slot for blocks of kernels");
    }
}
