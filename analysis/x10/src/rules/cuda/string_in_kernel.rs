//! `cuda/string-in-kernel`

use crate::diagnostics::{Rule, Severity};

/// A string in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/string-in-kernel",
    severity: Severity::Error,
    summary: "A string in the code of a kernel.",
    explanation: r##"
A string is an object of the host.

Write numbers into a `GlobalRail`, and make text of them after the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val text = "thread " + thread;
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
