//! `cuda/range-not-literal`

use crate::diagnostics::{Rule, Severity};

/// Blocks or threads counted by a value that is not written as a range.
pub static RULE: Rule = Rule {
    code: "cuda/range-not-literal",
    severity: Severity::Error,
    summary: "Blocks or threads counted by a value that is not written as a range.",
    explanation: r##"
The number of blocks and threads is computed on the host before the launch, from the end of the range. So
the range has to be in sight, as `0n..last`; a range in a variable could start anywhere.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val range = 0n..7n;
        finish async at (p) @CUDA {
            finish for (block in range) async {
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
