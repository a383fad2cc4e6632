//! `cuda/ateach-in-kernel`

use crate::diagnostics::{Rule, Severity};

/// An `ateach` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/ateach-in-kernel",
    severity: Severity::Error,
    summary: "An `ateach` in the code of a kernel.",
    explanation: r##"
A thread cannot start activities, least of all at other places.

Write the loop over places on the host, around the `at` that launches the kernel.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    ateach (q in Place.places()) { }
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
