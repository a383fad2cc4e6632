//! `cuda/clock-operation`

use crate::diagnostics::{Rule, Severity};

/// A clock used in a kernel other than by `Clock.advanceAll()`.
pub static RULE: Rule = Rule {
    code: "cuda/clock-operation",
    severity: Severity::Error,
    summary: "A clock used in a kernel other than by `Clock.advanceAll()`.",
    explanation: r##"
The threads of a block have one barrier and no clock object. `Clock.advanceAll()` is all that there is.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    Clock.resumeAll();
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
                    Clock.advanceAll();
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
