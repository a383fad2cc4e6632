//! `cuda/missing-thread-async`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The threads of a block are not activities.
pub static RULE: Rule = Rule {
    code: "cuda/missing-thread-async",
    severity: Severity::Error,
    summary: "The threads of a block are not activities.",
    explanation: r##"
The threads of a block run at the same time. In X10 that is a `clocked async` for each; without it the loop
would be sequential, and a barrier in it would wait for threads that do not run yet.

Write `clocked async` before the body of the loop.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) {
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
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// The threads are not activities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingThreadAsync;

impl Render for MissingThreadAsync {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the threads of a kernel are not activities")
            .note("the threads run at the same time: write `clocked async` before the body of the loop")
    }
}
