//! `cuda/generic-call`

use crate::diagnostics::{Rule, Severity};

/// A call in a kernel of a generic function.
pub static RULE: Rule = Rule {
    code: "cuda/generic-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a generic function.",
    explanation: r##"
Functions of the device have fixed types, and stand outside generic classes.

Write the function for the type that is needed.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def same[T](x:T):T = x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = same[Int](thread);
                }
            }
        }
    }
}
"##,
    mended: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def same(x:Int):Int = x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = same(thread);
                }
            }
        }
    }
}
"##,
};
