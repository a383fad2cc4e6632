//! `cuda/missing-clocked-async`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The threads of a block are not clocked.
pub static RULE: Rule = Rule {
    code: "cuda/missing-clocked-async",
    severity: Severity::Error,
    summary: "The threads of a block are not clocked.",
    explanation: r##"
The threads of a block take part in the barrier of the `clocked finish` around them. An `async` that is not
clocked would not, so that `Clock.advanceAll()` in it would wait for nobody. (X10's own compiler does not
check it, and the device waits all the same.)

Write `clocked async`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) async {
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

/// The threads are not clocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingClockedAsync;

impl Render for MissingClockedAsync {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the threads of a block are not clocked")
            .note("the threads of a block share the barrier of the `clocked finish`: write `clocked async`")
    }
}
