//! `cuda/prelude-value`

use crate::diagnostics::{Rule, Severity};

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
