//! `cuda/overlapping-blocks`

use crate::diagnostics::{Rule, Severity};

/// Blocks with one thread more than the elements that lie between them.
pub static RULE: Rule = Rule {
    code: "cuda/overlapping-blocks",
    severity: Severity::Warning,
    summary: "Blocks with one thread more than the elements that lie between them.",
    explanation: r##"
A range contains both its ends: `0n..64n` are 65 threads. With `block * 64n + thread` as index, the last thread of a block has the element
of the first thread of the next one, and which of the two stores last is not known.

Count to `0n..63n`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def twice(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..64n) clocked async {
                    val i = block * 64n + thread;
                    out(i) = 2.0f * data(i);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def twice(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    out(i) = 2.0f * data(i);
                }
            }
        }
    }
}
"##,
};
