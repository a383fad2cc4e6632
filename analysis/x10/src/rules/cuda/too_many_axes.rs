//! `cuda/too-many-axes`

use crate::diagnostics::{Rule, Severity};

/// Blocks or threads with more than three axes.
pub static RULE: Rule = Rule {
    code: "cuda/too-many-axes",
    severity: Severity::Error,
    summary: "Blocks or threads with more than three axes.",
    explanation: r##"
A device lays out blocks, and threads in a block, along one to three axes.

Use at most three ranges, and compute further indices from one of them with `/` and `%`.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.array.IterationSpace;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, space:IterationSpace{self.rank == 4}) {
        finish async at (p) @CUDA {
            finish for ([a, b, c, d] in space) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(thread) = thread;
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
                    out(thread) = thread;
                }
            }
        }
    }
}
"##,
};
