//! `cuda/extra-statement`

use crate::diagnostics::{Rule, Severity};

/// A statement beside the loop or `async` that a kernel consists of.
pub static RULE: Rule = Rule {
    code: "cuda/extra-statement",
    severity: Severity::Error,
    summary: "A statement beside the loop or `async` that a kernel consists of.",
    explanation: r##"
In a kernel the `finish` holds one loop and the loop one `async`; only what is inside the innermost runs on
the device. A statement beside them would be run by nobody. (X10's own compiler drops it without a word.)

Move it into the threads, or out of the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) {
                async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        out(block * 64n + thread) = thread;
                    }
                }
                out(block) = 0.0f;
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
