//! `cuda/captured-object`

use crate::diagnostics::{Rule, Severity};

/// A captured value that cannot travel to a device.
pub static RULE: Rule = Rule {
    code: "cuda/captured-object",
    severity: Severity::Error,
    summary: "A captured value that cannot travel to a device.",
    explanation: r##"
What travels are numbers, plain structs of them, and rails of these. Objects, strings and function values
are made of references into the memory of the host.

Take what the kernel needs of it into `val`s before the `at`.
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
                    val all = settings;
                    out(block * 64n + thread) = thread;
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
