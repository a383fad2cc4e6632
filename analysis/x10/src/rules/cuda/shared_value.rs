//! `cuda/shared-value`

use crate::diagnostics::{Rule, Severity};

/// A `val` before the threads of a block that is not shared memory.
pub static RULE: Rule = Rule {
    code: "cuda/shared-value",
    severity: Severity::Error,
    summary: "A `val` before the threads of a block that is not shared memory.",
    explanation: r##"
What a block defines before its threads is memory that they share, as `new Rail[T](...)`. Another value
would have to be computed once a block, by somebody who is not a thread.

Compute it in each thread; it costs a register. If it does not depend on the block, compute it before the
`at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val start = block * 64n;
                clocked finish for (thread in 0n..63n) clocked async {
                    out(start + thread) = thread;
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
                    val start = block * 64n;
                    out(start + thread) = thread;
                }
            }
        }
    }
}
"##,
};
