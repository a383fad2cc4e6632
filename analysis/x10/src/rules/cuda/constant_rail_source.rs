//! `cuda/constant-rail-source`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

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

/// Constant memory is not filled from a captured rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantRailSource;

impl Render for ConstantRailSource {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "constant memory is filled from something else than a `val` of type `Rail` declared before the `at`")
            .note("the host copies it to the device before the launch, so it must be there already")
    }
}
