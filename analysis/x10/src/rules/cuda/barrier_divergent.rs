//! `cuda/barrier-divergent`

use crate::diagnostics::{Rule, Severity};

/// A barrier that not all threads of a block reach together.
pub static RULE: Rule = Rule {
    code: "cuda/barrier-divergent",
    severity: Severity::Error,
    summary: "A barrier that not all threads of a block reach together.",
    explanation: r##"
`Clock.advanceAll()` waits for all threads of the block. If it stands where only some of them come, the
others leave them waiting for ever; the device hangs. So a barrier may stand only under conditions that are
the same for all threads: not ones that depend on the index of the thread, or on data read at such an index,
nor in a loop that threads leave at different times.

Move the barrier out of the condition, and let the threads that have nothing to do pass it as well.

What the threads of a warp do together (`CUDAWarp.sum`, `shuffle`, ...) needs only these: it may stand under conditions that are the same
for all threads of each warp, such as `CUDAWarp.index() == 0n`, `thread / 32n < n`, `thread < 64n` (any multiple of 32), or one
computed from what `CUDAWarp.any` and the like give. What may be negative is shifted, `i >> 5n`, since `i / 32n` rounds towards zero.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread < 32n) {
                        cache(thread) = thread;
                        Clock.advanceAll();
                    }
                    out(block * 64n + thread) = cache(0);
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
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread < 32n) {
                        cache(thread) = thread;
                    }
                    Clock.advanceAll();
                    out(block * 64n + thread) = cache(0);
                }
            }
        }
    }
}
"##,
};
