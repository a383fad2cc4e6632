//! `cuda/missing-thread-async`

use crate::diagnostics::{Rule, Severity};

/// The threads of a block are not activities.
pub static RULE: Rule = Rule {
    code: "cuda/missing-thread-async",
    severity: Severity::Error,
    summary: "The threads of a block are not activities.",
    explanation: r##"
The threads of a block run at the same time. In X10 that is a `clocked async` for each; without it the loop
would be sequential, and a barrier in it would wait for threads that do not run yet.

Write `clocked async` before the body of the loop.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) {
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
