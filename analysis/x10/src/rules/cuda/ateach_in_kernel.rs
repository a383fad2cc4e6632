//! `cuda/ateach-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `ateach` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/ateach-in-kernel",
    severity: Severity::Error,
    summary: "An `ateach` in the code of a kernel.",
    explanation: r##"
A thread cannot start activities, least of all at other places.

Write the loop over places on the host, around the `at` that launches the kernel.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    ateach (q in Place.places()) { }
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
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A thread starts activities at other places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtEachInKernel;

impl Render for AtEachInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot start activities at other places")
            .note("write the `ateach` around the `at` that launches the kernel")
    }
}
