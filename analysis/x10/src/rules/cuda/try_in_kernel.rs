//! `cuda/try-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `try` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/try-in-kernel",
    severity: Severity::Error,
    summary: "A `try` in the code of a kernel.",
    explanation: r##"
A device has no exceptions, so none can be caught. What would be an exception on the CPU, such as an index
out of bounds, ends the kernel, and the exception arrives at the `at`.

Write the code without `try`; put the `try` around the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    try { out(block * 64n + thread) = thread; } catch (e:Exception) { }
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

/// A thread catches exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TryInKernel;

impl Render for TryInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot catch exceptions")
            .note("a device has no exceptions, so none can arrive: write the code without `try`")
    }
}
