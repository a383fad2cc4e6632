//! `hoist/call`

use crate::diagnostics::{Rule, Severity};

/// A call while a kernel is set up, of a function not known to be free of effects.
pub static RULE: Rule = Rule {
    code: "hoist/call",
    severity: Severity::Error,
    summary: "A call while a kernel is set up, of a function not known to be free of effects.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed on the host before the launch,
though they are written inside the `at`. A function that does something else beside computing, or asks where
it is, would do so at the wrong place. Arithmetic, and functions marked `@CUDA` or `@Pure`, are fine.

Call it before the `at` and keep the result in a `val`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def blocks():Int = 8n;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..(blocks() - 1n)) async {
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
    static def blocks():Int = 8n;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val count = blocks();
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
