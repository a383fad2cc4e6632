//! `cuda/thread-operation-outside-thread`

use crate::diagnostics::{Rule, Severity};

/// An operation of a warp, block or grid in a function or in the initialiser of shared memory.
pub static RULE: Rule = Rule {
    code: "cuda/thread-operation-outside-thread",
    severity: Severity::Error,
    summary: "An operation of a warp, block or grid in a function or in the initialiser of shared memory.",
    explanation: r##"
`CUDAWarp`, `CUDABlock` and `CUDAGrid` speak of the thread that calls them and of its neighbours. Which threads take part can be
seen only in the code of the threads themselves.

Call it there, and pass the result.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.CUDAWarp;

class Example {
    @CUDA static def mean(x:Float):Float = CUDAWarp.sum(x) / 32.0f;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = mean(thread);
                }
            }
        }
    }
}
"##,
    mended: r##"
import x10.compiler.CUDA;
import x10.util.CUDAWarp;

class Example {
    @CUDA static def mean(sum:Float):Float = sum / 32.0f;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = mean(CUDAWarp.sum(thread as Float));
                }
            }
        }
    }
}
"##,
};
