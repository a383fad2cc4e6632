//! `cuda/empty-range`

use crate::diagnostics::{Rule, Severity};

/// A kernel whose range of blocks or threads is empty.
pub static RULE: Rule = Rule {
    code: "cuda/empty-range",
    severity: Severity::Warning,
    summary: "A kernel whose range of blocks or threads is empty.",
    explanation: r##"
A range contains both its ends, so `0n..7n` counts eight, and a range whose upper end is negative counts
none. A kernel without blocks or threads does nothing.

Count to `n - 1n`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..-1n) async {
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
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
