//! `cuda/missing-block-async`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The blocks of a kernel are not activities.
pub static RULE: Rule = Rule {
    code: "cuda/missing-block-async",
    severity: Severity::Error,
    summary: "The blocks of a kernel are not activities.",
    explanation: r##"
Blocks run at the same time, in no order. In X10 that is an `async` for each; without it the loop would be
sequential, block after block.

Write `async` before the body of the loop.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) {
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

/// The blocks are not activities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingBlockAsync;

impl Render for MissingBlockAsync {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the blocks of a kernel are not activities")
            .note("the blocks run at the same time: write `async` before the body of the loop")
    }
}
