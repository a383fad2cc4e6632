//! `cuda/shared-initialiser`

use crate::diagnostics::{Rule, Severity};

/// Shared memory made in a way that a block cannot repeat.
pub static RULE: Rule = Rule {
    code: "cuda/shared-initialiser",
    severity: Severity::Error,
    summary: "Shared memory made in a way that a block cannot repeat.",
    explanation: r##"
Each block makes its shared memory anew, in one of four ways: `new Rail[T](n)` for zeros, `new Rail[T](n,
value)`, `new Rail[T](n, (i:Long) => ...)`, and `new Rail[T](rail)` for a copy of a `Rail` or `GlobalRail`
declared before the `at`. A function value in a variable is an object of the host, whose code the device
does not have.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val start = (i:Long) => 1.0f;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64, start);
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = cache(thread);
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
                val cache = new Rail[Float](64, (i:Long) => 1.0f);
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = cache(thread);
                }
            }
        }
    }
}
"##,
};
