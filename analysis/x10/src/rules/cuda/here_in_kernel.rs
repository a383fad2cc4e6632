//! `cuda/here-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// `here` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/here-in-kernel",
    severity: Severity::Error,
    summary: "`here` in the code of a kernel.",
    explanation: r##"
A kernel runs at the place of its `at`, but a device does not know the places of the program.

Use the variable that the `at` names, before the `at`, and copy what depends on it into a `val`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = here.id;
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
        val number = p.id;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = number;
                }
            }
        }
    }
}
"##,
};

/// A thread asks for its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HereInKernel;

impl Render for HereInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot ask where it is")
            .note("the kernel runs at the place of its `at`: use that place's variable before the `at`, and copy what depends on it into a `val`")
    }
}
