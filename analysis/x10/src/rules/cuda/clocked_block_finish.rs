//! `cuda/clocked-block-finish`

use crate::diagnostics::{Rule, Severity};

/// The `finish` over the blocks of a kernel is clocked.
pub static RULE: Rule = Rule {
    code: "cuda/clocked-block-finish",
    severity: Severity::Error,
    summary: "The `finish` over the blocks of a kernel is clocked.",
    explanation: r##"
A clock lets activities wait for each other. The blocks of a kernel cannot: a device runs them in any order,
and the last may start when the first has ended. Only the threads of one block have a barrier.

Write `finish` and `async` without `clocked` for the blocks.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            clocked finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
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
