//! `cuda/missing-clocked-finish`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The `finish` over the threads of a block is not clocked.
pub static RULE: Rule = Rule {
    code: "cuda/missing-clocked-finish",
    severity: Severity::Error,
    summary: "The `finish` over the threads of a block is not clocked.",
    explanation: r##"
The threads of a block share a barrier, `Clock.advanceAll()`. It belongs to the `clocked finish` around
them; without the word the threads would have no clock to advance.

Write `clocked finish`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                finish for (thread in 0n..63n) async {
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

/// The `finish` over the threads is not clocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingClockedFinish;

impl Render for MissingClockedFinish {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the `finish` over the threads of a block is not clocked")
            .note("the threads of a block share a barrier: write `clocked finish`")
    }
}
