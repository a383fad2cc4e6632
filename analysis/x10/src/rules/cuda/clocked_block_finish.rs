//! `cuda/clocked-block-finish`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The `finish` over the blocks of a kernel is clocked.
pub static RULE: Rule = Rule {
    code: "cuda/clocked-block-finish",
    severity: Severity::Error,
    summary: "The `finish` over the blocks of a kernel is clocked.",
    explanation: r##"
A clock lets activities wait for each other. The blocks of a kernel cannot: a device runs them in any order,
and the last may start when the first has ended. Only the threads of one block have a barrier.

Write `finish` and `async` without `clocked` for the blocks.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            clocked finish for (block in 0n..7n) async {
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

/// The `finish` over the blocks is clocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockedBlockFinish;

impl Render for ClockedBlockFinish {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the `finish` over the blocks of a kernel is clocked")
            .note("the blocks of a kernel run in any order and cannot wait for each other; only the threads of one block can")
    }
}
