//! `cuda/async-in-kernel`

use crate::diagnostics::{Rule, Severity};

/// An `async` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/async-in-kernel",
    severity: Severity::Error,
    summary: "An `async` in the code of a kernel.",
    explanation: r##"
All threads of a kernel start with it. A thread cannot start another activity: a device has no scheduler for
them.

Give the kernel more threads, or start the activity on the host after the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    async { out(block * 64n + thread) = thread; }
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
