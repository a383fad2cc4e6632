//! `cuda/barrier-outside-thread`

use crate::diagnostics::{Rule, Severity};

/// A barrier in a function or in the initialiser of shared memory.
pub static RULE: Rule = Rule {
    code: "cuda/barrier-outside-thread",
    severity: Severity::Error,
    summary: "A barrier in a function or in the initialiser of shared memory.",
    explanation: r##"
That all threads of a block reach a barrier together can be seen only where it stands in the code of the
threads itself.

Call `Clock.advanceAll()` there.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def step():void { Clock.advanceAll(); }

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    step();
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
    mended: r##"
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
