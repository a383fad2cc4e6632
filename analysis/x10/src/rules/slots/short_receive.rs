//! `slots/short-receive`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A receive with less room than each message that can reach it has elements.
pub static RULE: Rule = Rule {
    code: "slots/short-receive",
    severity: Severity::Warning,
    summary: "A receive with less room than each message that can reach it has elements.",
    explanation: r##"
A receive names the most elements that it takes. A message with more is an error: the receive ends with an exception, and with it all other calls of
the group that wait.

Reported are receives of groups that are made in one method and used there and in static functions that it calls, if all sends that can reach it
have more elements.
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
                        blocks(block).recv(0, data, block, 1);
                    }
                }
            }
            for (i in 0..7) me.send(blocks.firstRank() + i, new Rail[Int](2), 0, 2);
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
                        blocks(block).recv(0, data, 2 * block, 2);
                    }
                }
            }
            for (i in 0..7) me.send(blocks.firstRank() + i, new Rail[Int](2), 0, 2);
        }
        group.delete();
    }
}
"##,
};

/// A receive is too short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortReceive {
    /// The receiving operation.
    pub method: MethodId,
    /// Elements that it takes at most.
    pub room: i64,
    /// Elements of the shortest message that can reach it.
    pub sent: i64,
    /// Its send.
    pub send: TextRange,
}

impl Render for ShortReceive {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let elements =
            |count: i64| if count == 1 { "1 element".to_owned() } else { format!("{count} elements") };
        RULE.at(
            range,
            format!(
                "`{}` has room for {}, and messages that reach it have {} or more",
                cx.method_name(self.method),
                elements(self.room),
                self.sent
            ),
        )
        .note("a longer message than the receive has room for ends all calls of the group by an exception")
        .related(cx.related(self.send, format!("this sends {}", elements(self.sent))))
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    fn program(kernel: &str, activity: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ static def f(p:Place, d:GlobalRail[Int]{{self.home() == p}}, n:Int) {{ \
             val group = SlotGroup.make(1, 4); val s = group.blocks(p); val me = group.activities(here)(0); val r = new Rail[Int](9); finish {{ \
             async at (p) @CUDA {{ finish for (b in 0n..3n) async clocked finish for (t in 0n..63n) clocked async {{ {kernel} }} }} {activity} }} }} }}"
        )
    }

    #[test]
    fn a_receive_shorter_than_each_send_is_reported() {
        check(
            &RULE,
            &program("$0s(b).recv(0, d, 0, 2)$0;", "for (i in 0..3) me.send(s.firstRank() + i, r, 0, 3);"),
            "`Slot.recv` has room for 2 elements, and messages that reach it have 3 or more",
        );
        check(
            &RULE,
            &program(
                "s(b).send(me.rank, d, 0, 4);",
                "for (i in 0..3) $0me.recv(Slot.ANY_SOURCE, r, 0, 1)$0;",
            ),
            "`Slot.recv` has room for 1 element, and messages that reach it have 4 or more",
        );
    }

    #[test]
    fn a_receive_that_may_fit_is_none() {
        check_none(&RULE, &program("s(b).recv(0, d, 0, 3);", "me.send(s.firstRank(), r, 0, 3);"));
        check_none(&RULE, &program("s(b).recv(0, d, 0, 2);", "me.send(s.firstRank(), r, 0, n);"));
        check_none(
            &RULE,
            &program(
                "s(b).recv(0, d, 0, 2);",
                "me.send(s.firstRank(), r, 0, 3, 5n); me.send(s.firstRank(), r, 0, 2);",
            ),
        );
        // The sends go the other way.
        check_none(
            &RULE,
            &program(
                "s(b).recv(0, d, 0, 2); s(b).send(0, d, 0, 8);",
                "me.send(s.firstRank(), r, 0, 2); me.recv(s.firstRank(), r, 0, 8);",
            ),
        );
    }
}
