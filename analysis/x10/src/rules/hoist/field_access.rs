//! `hoist/field-access`

use crate::diagnostics::{Rule, Severity};

/// A field read while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/field-access",
    severity: Severity::Error,
    summary: "A field read while a kernel is set up.",
    explanation: r##"
How many blocks and threads a kernel has, and how much shared memory, is computed on the host before the
launch, though it is written inside the `at`. Inside, a field belongs to an object that may have been copied
there or changed in between, so the two values could differ.

Read the field into a `val` before the `at`; then it is clear when it is read.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    val count:Int = 8n;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
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
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    val count:Int = 8n;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val blocks = count;
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
};
