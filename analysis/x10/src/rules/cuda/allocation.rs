//! `cuda/allocation`

use crate::diagnostics::{Rule, Severity};

/// A `new` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/allocation",
    severity: Severity::Error,
    summary: "A `new` in the code of a kernel.",
    explanation: r##"
A device has no heap, and nothing there collects garbage.

Make the object before the `at`. For a small rail of fixed size that each thread has for itself, write
`@StackAllocate val r = new Rail[T](16)`. Structs of numbers may be made freely.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val own = new Rail[Float](4);
                    own(0) = thread;
                    out(block * 64n + thread) = own(0);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.compiler.StackAllocate;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    @StackAllocate val own = new Rail[Float](4);
                    own(0) = thread;
                    out(block * 64n + thread) = own(0);
                }
            }
        }
    }
}
"##,
};
