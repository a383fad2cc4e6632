//! `cuda/instanceof-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `instanceof` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/instanceof-in-kernel",
    severity: Severity::Error,
    summary: "An `instanceof` in the code of a kernel.",
    explanation: r##"
Values on a device carry no class that could be tested.

Decide it before the `at`, and pass a number or `Boolean`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = (thread instanceof Int ? 1.0f : 0.0f);
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
                    out(block * 64n + thread) = 1.0f;
                }
            }
        }
    }
}
"##,
};

/// A thread tests a value's class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceOfInKernel;

impl Render for InstanceOfInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot test a value's class").note(
            "values on a device carry no class: decide it before the `at` and pass a number or `Boolean`",
        )
    }
}
