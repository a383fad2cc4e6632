//! `cuda/object-field`

use crate::diagnostics::{Rule, Severity};

/// A field of an object read in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/object-field",
    severity: Severity::Error,
    summary: "A field of an object read in the code of a kernel.",
    explanation: r##"
The object lives in the memory of the host, which a device does not read.

Read the field into a `val` before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Settings {
    val scale:Float = 2.0f;
}

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, settings:Settings) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = settings.scale;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Settings {
    val scale:Float = 2.0f;
}

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, settings:Settings) {
        val scale = settings.scale;
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
};
