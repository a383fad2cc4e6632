//! `cuda/captured-rail-write`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A captured host rail written in a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/captured-rail-write",
    severity: Severity::Error,
    summary: "A captured host rail written in a kernel.",
    explanation: r##"
A `Rail` of the host that a kernel uses is copied to the device before the launch, and never back: what is
written to the copy is lost. So it is through another name of the rail: a variable, one side of `c ? a : b`, or a
function that gives back the rail it was given.

Make a `GlobalRail` at the place of the kernel with `CUDAUtilities.makeGlobalRail`, write to that, and copy
it back with `Rail.asyncCopy`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, values:Rail[Float]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    values(thread) = thread;
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
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, values:Rail[Float]) {
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

/// A kernel writes a captured rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedRailWrite {
    /// The rail.
    pub local: LocalId,
}

impl Render for CapturedRailWrite {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        RULE.at(range, format!("writes to `{name}`, of which the device has only a copy"))
            .note("a captured `Rail` is copied to the device before the launch and never back: allocate a `GlobalRail` with `CUDAUtilities.makeGlobalRail`, write to that, and copy it back with `Rail.asyncCopy`")
            .related(cx.declaration(self.local))
    }
}
