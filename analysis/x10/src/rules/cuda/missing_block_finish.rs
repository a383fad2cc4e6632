//! `cuda/missing-block-finish`

use crate::diagnostics::{Rule, Severity};

/// The loop over the blocks of a kernel is not in a `finish`.
pub static RULE: Rule = Rule {
    code: "cuda/missing-block-finish",
    severity: Severity::Error,
    summary: "The loop over the blocks of a kernel is not in a `finish`.",
    explanation: r##"
A kernel is over when all its blocks are; that is what the `finish` around the loop says. Without it the
program would mean that the `at` ends while its blocks still run, which no launch does.

Write `finish for (block in 0n..last) async`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            for (block in 0n..7n) async {
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
