//! `cuda/assert-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `assert` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/assert-in-kernel",
    severity: Severity::Error,
    summary: "An `assert` in the code of a kernel.",
    explanation: r##"
An assertion that fails is an exception, and a device has none.

Check on the host before the launch, or write an error number into a `GlobalRail`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    assert thread < 64n;
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

/// A thread asserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertInKernel;

impl Render for AssertInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot assert")
            .note("a failed assertion is an exception, which a device does not have: check on the host, or write an error number into a `GlobalRail`")
    }
}
