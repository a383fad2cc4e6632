//! `cuda/constant-rail-source`

use crate::diagnostics::{Rule, Severity};

/// Constant memory filled from something that is not a `val` of type `Rail` declared before the `at`.
pub static RULE: Rule = Rule {
    code: "cuda/constant-rail-source",
    severity: Severity::Error,
    summary: "Constant memory filled from something that is not a `val` of type `Rail` declared before the `at`.",
    explanation: r##"
`CUDAConstantRail(rail)` keeps a copy of `rail` in the constant memory of the device, which is read fast
when all threads read the same element. The host fills it before the launch, so the rail has to be there
then, under a name.

Declare the rail as a `val` before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val table = CUDAConstantRail(new Rail[Float](64, 1.0f));
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = table(thread);
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
        val values = new Rail[Float](64, 1.0f);
        finish async at (p) @CUDA {
            val table = CUDAConstantRail(values);
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = table(thread);
                }
            }
        }
    }
}
"##,
};
