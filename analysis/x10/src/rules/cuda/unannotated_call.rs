//! `cuda/unannotated-call`

use crate::diagnostics::{Rule, Severity};

/// A call in a kernel of a function that is not marked `@CUDA`.
pub static RULE: Rule = Rule {
    code: "cuda/unannotated-call",
    severity: Severity::Error,
    summary: "A call in a kernel of a function that is not marked `@CUDA`.",
    explanation: r##"
Functions that kernels call are compiled for the device as well, and must keep its rules. Those that do are
marked `@CUDA`; for others nobody has promised it.

Annotate the function. If it belongs to the class library and has no version for the device, compute the
value before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def twice(x:Int):Int = 2n * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Int = 2n * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
};
