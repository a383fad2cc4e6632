//! `cuda/bad-callee`

use crate::diagnostics::{Rule, Severity};

/// A call in a kernel of a `@CUDA` function that breaks a rule.
pub static RULE: Rule = Rule {
    code: "cuda/bad-callee",
    severity: Severity::Error,
    summary: "A call in a kernel of a `@CUDA` function that breaks a rule.",
    explanation: r##"
A function marked `@CUDA` keeps the rules of kernels, and so do all that it calls. This one does not; the
message says what is wrong, and the function itself has a diagnostic where it is.

Fix the function, or call another.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def first(n:Int):Float {
        val all = new Rail[Float](4);
        return all(0);
    }

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = first(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def first(n:Int):Float {
        return 0.0f;
    }

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = first(thread);
                }
            }
        }
    }
}
"##,
};
