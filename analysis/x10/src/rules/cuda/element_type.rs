//! `cuda/element-type`

use crate::diagnostics::{Rule, Severity};

/// A rail in a kernel whose elements a device cannot hold.
pub static RULE: Rule = Rule {
    code: "cuda/element-type",
    severity: Severity::Error,
    summary: "A rail in a kernel whose elements a device cannot hold.",
    explanation: r##"
The memory of a device holds numbers, `Boolean`, `Char`, and structs made of these. Strings, objects and
function values are references into the memory of the host, and mean nothing on a device. Textures are captured by themselves or in
structs: a launch sees that they live where it runs.

Take the numbers out of the objects, into a rail of their own, before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val names = new Rail[String](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
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
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val lengths = new Rail[Int](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    lengths(thread) = thread;
                    out(block * 64n + thread) = lengths(thread);
                }
            }
        }
    }
}
"##,
};
