//! `hoist/assignment`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An assignment while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/assignment",
    severity: Severity::Error,
    summary: "An assignment while a kernel is set up.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed once, on the host, before the
launch. An assignment in there would not happen in each block or thread, as the text suggests.

Assign before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        var blocks:Int = 4n;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks = 7n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val last = 7n;
        finish async at (p) @CUDA {
            finish for (block in 0n..last) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// An assignment while a kernel is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment;

impl Render for Assignment {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "an assignment cannot be made while a kernel is set up")
            .note("the host evaluates this once before the launch, not in each block or thread")
    }
}
