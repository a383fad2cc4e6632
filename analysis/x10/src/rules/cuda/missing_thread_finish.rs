//! `cuda/missing-thread-finish`

use crate::diagnostics::{Rule, Severity};

/// The loop over the threads of a block is not in a `clocked finish`.
pub static RULE: Rule = Rule {
    code: "cuda/missing-thread-finish",
    severity: Severity::Error,
    summary: "The loop over the threads of a block is not in a `clocked finish`.",
    explanation: r##"
A block is over when all its threads are, and its threads share a barrier: that is a `clocked finish`.

Write `clocked finish for (thread in 0n..last) clocked async`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                for (thread in 0n..63n) async {
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
