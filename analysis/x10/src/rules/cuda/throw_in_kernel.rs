//! `cuda/throw-in-kernel`

use crate::diagnostics::{Rule, Severity};

/// A `throw` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/throw-in-kernel",
    severity: Severity::Error,
    summary: "A `throw` in the code of a kernel.",
    explanation: r##"
A device has no exceptions.

Write an error number into a `GlobalRail` and throw on the host.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread > 100n) throw new Exception("too many");
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
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
