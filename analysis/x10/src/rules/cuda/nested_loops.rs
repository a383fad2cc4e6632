//! `cuda/nested-loops`

use crate::diagnostics::{Rule, Severity};

/// Blocks or threads that are counted by loops inside each other.
pub static RULE: Rule = Rule {
    code: "cuda/nested-loops",
    severity: Severity::Error,
    summary: "Blocks or threads that are counted by loops inside each other.",
    explanation: r##"
A launch starts all blocks at once, and each block all its threads. So there is one loop over the blocks and one over the threads, whose
header says how many there are; loops inside each other say the same of a sequential program.

Write one loop over the product of the ranges. It may have up to three axes, which are `Long`s; the last one is the device's `x`, along which neighbouring
threads are numbered.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (by in 0n..3n) for (bx in 0n..7n) async {
                clocked finish for (ty in 0n..7n) for (tx in 0n..7n) clocked async {
                    out((by * 8n + ty) * 64n + bx * 8n + tx) = 1.0f;
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
            finish for ([by, bx] in 0n..3n * 0n..7n) async {
                clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                    out((by * 8n + ty) * 64n + bx * 8n + tx) = 1.0f;
                }
            }
        }
    }
}
"##,
};
