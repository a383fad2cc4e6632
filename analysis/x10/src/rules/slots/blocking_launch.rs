//! `slots/blocking-launch`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A kernel whose end is awaited before the call that its blocks wait for.
pub static RULE: Rule = Rule {
    code: "slots/blocking-launch",
    severity: Severity::Warning,
    summary: "A kernel whose end is awaited before the call that its blocks wait for.",
    explanation: r##"
A kernel that is launched without `async` is awaited where it stands, and one in a `finish` of its own at the end of that. If its blocks receive what
this activity sends behind it, or send what this activity receives there, both wait for ever.

Launch the kernel by `async`, and make the calls of the activity within the same `finish`.
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
            at (p) @CUDA {
                finish for (block in 0n..7n) async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        blocks(block).recv(0, data, block, 1);
                    }
                }
            }
            for (i in 0..7) me.send(blocks.firstRank() + i, new Rail[Int](1), 0, 1);
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
                        blocks(block).recv(0, data, block, 1);
                    }
                }
            }
            for (i in 0..7) me.send(blocks.firstRank() + i, new Rail[Int](1), 0, 1);
        }
        group.delete();
    }
}
"##,
};

/// A kernel is awaited too early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingLaunch {
    /// The call of a block that waits.
    pub method: MethodId,
    /// Where.
    pub call: TextRange,
}

impl Render for BlockingLaunch {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this kernel is awaited before the activity makes the calls that its blocks wait for")
            .note("launch the kernel by `async`, and make the calls of the activity in the same `finish`")
            .related(cx.related(
                self.call,
                format!(
                    "`{}` waits for an activity that makes its calls behind the kernel",
                    cx.method_name(self.method)
                ),
            ))
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    fn program(before: &str, after: &str) -> String {
        format!(
            "import x10.compiler.CUDA; import x10.util.*; class A {{ static def f(p:Place, d:GlobalRail[Int]{{self.home() == p}}) {{ \
             val group = SlotGroup.make(1, 4); val s = group.blocks(p); val me = group.activities(here)(0); val r = new Rail[Int](9); {before} @CUDA {{ \
             finish for (b in 0n..3n) async clocked finish for (t in 0n..63n) clocked async {{ s(b).recv(0, d, 0, 1); }} }} {after} }} }}"
        )
    }

    const MESSAGE: &str =
        "this kernel is awaited before the activity makes the calls that its blocks wait for";
    const CALLS: &str = "for (i in 0..3) me.send(s.firstRank() + i, r, 0, 1);";

    #[test]
    fn a_send_behind_the_kernel_is_reported() {
        check(&RULE, &program("$0at (p$0)", CALLS), MESSAGE);
        check(&RULE, &program("finish async $0at (p$0)", CALLS), MESSAGE);
        check(&RULE, &program("finish { $0at (p$0)", &format!("{CALLS} }}")), MESSAGE);
    }

    #[test]
    fn a_send_beside_the_kernel_is_none() {
        check_none(&RULE, &program("finish { async at (p)", &format!("{CALLS} }}")));
        check_none(&RULE, &program(&format!("async {{ {CALLS} }} at (p)"), ""));
        check_none(&RULE, &program("async at (p)", CALLS));
    }

    #[test]
    fn the_kernel_gets_its_async() {
        let after = format!("{CALLS} }}");
        check_fix(&RULE, &program("finish { at (p)", &after), &program("finish { async at (p)", &after));
    }
}
