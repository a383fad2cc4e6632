//! `cuda/captured-var`

use crate::diagnostics::{Rule, Severity};

/// A `var` of the code around a kernel used in the kernel.
pub static RULE: Rule = Rule {
    code: "cuda/captured-var",
    severity: Severity::Error,
    summary: "A `var` of the code around a kernel used in the kernel.",
    explanation: r##"
A kernel gets copies of the variables that it uses, at launch. A `var` that changes on one side would not
change on the other.

Copy it into a `val` before the `at`. To bring a result back, write it into a `GlobalRail`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        var scale:Float = 1.0f;
        scale *= 2.0f;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = scale;
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
        var scale:Float = 1.0f;
        scale *= 2.0f;
        val fixed = scale;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = fixed;
                }
            }
        }
    }
}
"##,
};
