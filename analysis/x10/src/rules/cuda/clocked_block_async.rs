//! `cuda/clocked-block-async`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The blocks of a kernel are clocked.
pub static RULE: Rule = Rule {
    code: "cuda/clocked-block-async",
    severity: Severity::Error,
    summary: "The blocks of a kernel are clocked.",
    explanation: r##"
Blocks run in any order and cannot wait for each other, so there is no clock that they could share. Only the
threads of one block have a barrier.

Write `async` without `clocked` for the blocks.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            clocked finish for (block in 0n..7n) clocked async {
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

/// The blocks are clocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockedBlockAsync;

impl Render for ClockedBlockAsync {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the blocks of a kernel are clocked")
            .note("blocks run in any order and cannot wait for each other; only the threads of one block can")
    }
}
