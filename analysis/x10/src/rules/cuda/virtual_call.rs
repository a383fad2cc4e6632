//! `cuda/virtual-call`

use crate::diagnostics::{Rule, Severity};

/// A call in a kernel of a method of an object.
pub static RULE: Rule = Rule {
    code: "cuda/virtual-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a method of an object.",
    explanation: r##"
Which code such a call runs depends on the class of the object, and the object lives on the host.

Call a `@CUDA static def` and pass it what it needs.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA def twice(x:Int):Int = 2n * x;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Int = 2n * x;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
};
