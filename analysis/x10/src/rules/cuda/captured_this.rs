//! `cuda/captured-this`

use crate::diagnostics::{Rule, Severity};

/// A field or method of `this` used in a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/captured-this",
    severity: Severity::Error,
    summary: "A field or method of `this` used in a kernel.",
    explanation: r##"
A field without anything before it is read through `this`, so the whole object would have to travel to the
device. It stays on the host.

Copy the field into a `val` before the `at`, and use that.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    val scale:Float = 2.0f;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
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
    val scale:Float = 2.0f;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val factor = scale;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = factor;
                }
            }
        }
    }
}
"##,
};
