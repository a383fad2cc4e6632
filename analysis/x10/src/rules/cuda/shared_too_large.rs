//! `cuda/shared-too-large`

use crate::diagnostics::{Rule, Severity};

/// More shared memory than any device has for a block.
pub static RULE: Rule = Rule {
    code: "cuda/shared-too-large",
    severity: Severity::Error,
    summary: "More shared memory than any device has for a block.",
    explanation: r##"
No device grants one block more than 227 KiB of shared memory.

Keep a smaller part in shared memory at a time, or read from a `GlobalRail` directly: its elements are
cached as well.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Double](32000);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = thread;
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
                val cache = new Rail[Double](4000);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = thread;
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
