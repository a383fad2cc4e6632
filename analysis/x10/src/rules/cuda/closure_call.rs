//! `cuda/closure-call`

use crate::diagnostics::{Rule, Severity};

/// A function value called in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/closure-call",
    severity: Severity::Error,
    summary: "A function value called in the code of a kernel.",
    explanation: r##"
Which code a function value holds is known only at run time, and it is code for the host.

Call a `@CUDA static def` by name.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, f:(Int)=>Float) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = f(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Float = 2.0f * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
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
