//! `cuda/interface-call`

use crate::diagnostics::{Rule, Severity};

/// A call in a kernel through an interface.
pub static RULE: Rule = Rule {
    code: "cuda/interface-call",
    severity: Severity::Error,
    summary: "A call in a kernel through an interface.",
    explanation: r##"
Which code such a call runs depends on the class of an object, and objects live on the host.

Call a `@CUDA static def`.
"##,
    failing: r##"
import x10.compiler.CUDA;

interface Shape {
    @CUDA def area(x:Int):Int;
}

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, shape:Shape) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = shape.area(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

interface Shape {
    @CUDA def area(x:Int):Int;
}

class Example {
    @CUDA static def area(x:Int):Int = x * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = area(thread);
                }
            }
        }
    }
}
"##,
};
