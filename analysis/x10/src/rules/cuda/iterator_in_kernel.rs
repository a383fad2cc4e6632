//! `cuda/iterator-in-kernel`

use crate::diagnostics::{Rule, Severity};

/// A loop in a kernel over something that is neither a range nor a rail.
pub static RULE: Rule = Rule {
    code: "cuda/iterator-in-kernel",
    severity: Severity::Error,
    summary: "A loop in a kernel over something that is neither a range nor a rail.",
    explanation: r##"
Such a loop asks an iterator for each element. An iterator is an object, and a device has no heap.

Iterate over a range, as in `for (i in 0..(n - 1))`, or over a rail.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.util.ArrayList;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, list:ArrayList[Float]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Float = 0.0f;
                    for (value in list) sum += value;
                    out(block * 64n + thread) = sum;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, values:Rail[Float]) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    var sum:Float = 0.0f;
                    for (i in 0..(values.size - 1)) sum += values(i);
                    out(block * 64n + thread) = sum;
                }
            }
        }
    }
}
"##,
};
