//! `cuda/nested-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A kernel within a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/nested-kernel",
    severity: Severity::Error,
    summary: "A kernel within a kernel.",
    explanation: r##"
A thread cannot launch kernels.

Launch the second kernel from the host, after the first or beside it.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    at (p) @CUDA { finish for (inner in 0n..7n) async { clocked finish for (lane in 0n..7n) clocked async { out(lane) = 1.0f; } } }
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

/// A kernel within a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedKernel;

impl Render for NestedKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a kernel within a kernel").note(
            "a device does not launch kernels itself: launch the second one after the first, from the host",
        )
    }
}
