//! `cuda/prelude-value`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `val` before the blocks that is neither auto-configuration nor constant memory.
pub static RULE: Rule = Rule {
    code: "cuda/prelude-value",
    severity: Severity::Error,
    summary: "A `val` before the blocks that is neither auto-configuration nor constant memory.",
    explanation: r##"
Three things may be defined before the blocks of a kernel, for they set up its launch:
`CUDAUtilities.autoBlocks()`, `CUDAUtilities.autoThreads()` and `CUDAConstantRail(rail)`. Any other value
would be computed on the host, so it belongs where the host computes: before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, factor:Float) {
        finish async at (p) @CUDA {
            val scale = 2.0f * factor;
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = scale * thread;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, factor:Float) {
        val scale = 2.0f * factor;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = scale * thread;
                }
            }
        }
    }
}
"##,
};

/// An invalid value before the blocks of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum PreludeValue {
    /// The variable is neither auto-configuration nor constant memory.
    Other(LocalId),
    /// The choices of auto-configuration are no constants from 1 to `max`.
    Choices { max: i64 },
}

impl Render for PreludeValue {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            PreludeValue::Other(local) => RULE
                .at(range, format!("`{}` is neither auto-configuration nor constant memory", cx.local_name(*local)))
                .note("before the blocks of a kernel stand only `CUDAUtilities.autoBlocks()`, `CUDAUtilities.autoThreads()` and \
                       `CUDAConstantRail(rail)`; compute anything else before the `at`"),
            PreludeValue::Choices { max } => RULE
                .at(range, format!("the choices are not written out as numbers from 1 to {max}"))
                .note("the launch chooses from constants, the preferred ones first: `CUDAUtilities.autoThreads([256n, 128n, 64n])`"),
        }
    }
}
