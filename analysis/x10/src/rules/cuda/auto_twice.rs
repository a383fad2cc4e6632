//! `cuda/auto-twice`

use crate::diagnostics::{Rule, Severity};

/// Auto-configuration asked for twice in one kernel.
pub static RULE: Rule = Rule {
    code: "cuda/auto-twice",
    severity: Severity::Error,
    summary: "Auto-configuration asked for twice in one kernel.",
    explanation: r##"
`CUDAUtilities.autoBlocks()` and `CUDAUtilities.autoThreads()` tell how the kernel is launched. A kernel is
launched one way, so each is asked for once; a second call would be the same number under another name.

Use the first variable in both places.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            val last = CUDAUtilities.autoBlocks();
            finish for (block in 0n..(blocks - 1n)) async {
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
import x10.util.CUDAUtilities;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val blocks = CUDAUtilities.autoBlocks();
            finish for (block in 0n..(blocks - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
