//! `cuda/at-in-kernel`

use crate::diagnostics::{Rule, Severity};

/// An `at` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/at-in-kernel",
    severity: Severity::Error,
    summary: "An `at` in the code of a kernel.",
    explanation: r##"
A thread runs on its device from its start to its end; it cannot go on somewhere else, nor fetch a value
from there.

Fetch what it needs into a `val` or rail before the `at` that launches the kernel, and leave results in a
`GlobalRail`.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    at (Place.FIRST_PLACE) { Console.OUT.println("done"); }
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
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
