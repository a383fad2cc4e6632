//! `cuda/finish-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `finish` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/finish-in-kernel",
    severity: Severity::Error,
    summary: "A `finish` in the code of a kernel.",
    explanation: r##"
A thread starts no activities, so there is none to wait for.

To wait for the other threads of the block, use `Clock.advanceAll()`. To wait for all blocks, end the
kernel.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    finish { out(block * 64n + thread) = thread; }
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

/// A thread waits for activities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishInKernel;

impl Render for FinishInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot wait for activities").note(
            "a thread starts none. To wait for the other threads of the block, use `Clock.advanceAll()`",
        )
    }
}
