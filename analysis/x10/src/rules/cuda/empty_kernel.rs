//! `cuda/empty-kernel`

use crate::diagnostics::{Rule, Severity};

/// A kernel without any code.
pub static RULE: Rule = Rule {
    code: "cuda/empty-kernel",
    severity: Severity::Error,
    summary: "A kernel without any code.",
    explanation: r##"
The body of an `at` with `@CUDA` holds a loop over blocks, and in it a loop over threads. An empty body
starts nothing.

Write the two loops, or remove `@CUDA`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place) {
        finish async at (p) @CUDA { }
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
