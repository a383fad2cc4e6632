//! `cuda/missing-thread-loop`

use crate::diagnostics::{Rule, Severity};

/// A kernel without a loop over the threads of a block.
pub static RULE: Rule = Rule {
    code: "cuda/missing-thread-loop",
    severity: Severity::Error,
    summary: "A kernel without a loop over the threads of a block.",
    explanation: r##"
What runs on a device is the code of threads. A block without the loop over its threads has none.

Write `clocked finish for (thread in 0n..last) clocked async { ... }` around what each thread does.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                out(block) = block;
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
                clocked finish for (thread in 0n..0n) clocked async {
                    out(block) = block;
                }
            }
        }
    }
}
"##,
};
