//! `cuda/too-many-threads`

use crate::diagnostics::{Rule, Severity};

/// More threads in a block than a device takes.
pub static RULE: Rule = Rule {
    code: "cuda/too-many-threads",
    severity: Severity::Error,
    summary: "More threads in a block than a device takes.",
    explanation: r##"
A block has at most 1024 threads on every device; a launch with more fails.

Use more blocks of fewer threads. `CUDAUtilities.autoThreads()` picks a number that suits the device.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..2047n) clocked async {
                    out(block * 2048n + thread) = thread;
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
            finish for (block in 0n..15n) async {
                clocked finish for (thread in 0n..1023n) clocked async {
                    out(block * 1024n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
