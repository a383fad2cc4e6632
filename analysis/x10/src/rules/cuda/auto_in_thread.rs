//! `cuda/auto-in-thread`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// Auto-configuration requested in the code of a thread.
pub static RULE: Rule = Rule {
    code: "cuda/auto-in-thread",
    severity: Severity::Error,
    summary: "Auto-configuration requested in the code of a thread.",
    explanation: r##"
`CUDAUtilities.autoBlocks()` and `CUDAUtilities.autoThreads()` decide how a kernel is launched, which is
over when threads run.

Define a `val` before the blocks and use that.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val blocks = CUDAUtilities.autoBlocks();
                    out(block * 64n + thread) = blocks;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = blocks;
                }
            }
        }
    }
}
"##,
};

/// A thread asks for automatic configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoInThread {
    /// The method.
    pub method: MethodId,
}

impl Render for AutoInThread {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("`{}` is asked too late", cx.method_name(self.method)))
            .note("it decides how the kernel is launched: write `val n = ...` before the outer `finish`, and use `n` here")
    }
}
