//! `cuda/generic-value`

use crate::diagnostics::{Rule, Severity};

/// A value in a kernel whose type is a type parameter.
pub static RULE: Rule = Rule {
    code: "cuda/generic-value",
    severity: Severity::Error,
    summary: "A value in a kernel whose type is a type parameter.",
    explanation: r##"
How such a value is laid out depends on the type it stands for, which may be one that a device cannot hold.

Write the kernel for a number type or a plain struct.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run[T](p:Place, out:GlobalRail[Float]{self.home() == p}, value:T) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                    val copy = value;
                }
            }
        }
    }
}
"##,
    mended: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, value:Float) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                    val copy = value;
                }
            }
        }
    }
}
"##,
};
