//! `hoist/mutable-variable`

use crate::diagnostics::{Rule, Severity};

/// A `var` used while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/mutable-variable",
    severity: Severity::Error,
    summary: "A `var` used while a kernel is set up.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed when the kernel is launched. A
`var` may have changed by then, if another activity runs on.

Copy it into a `val` before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        var blocks:Int = 4n;
        blocks *= 2n;
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks - 1n)) async {
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
        var blocks:Int = 4n;
        blocks *= 2n;
        val count = blocks;
        finish async at (p) @CUDA {
            finish for (block in 0n..(count - 1n)) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};
