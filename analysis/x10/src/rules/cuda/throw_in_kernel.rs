//! `cuda/throw-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `throw` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/throw-in-kernel",
    severity: Severity::Error,
    summary: "A `throw` in the code of a kernel.",
    explanation: r##"
A device has no exceptions.

Write an error number into a `GlobalRail` and throw on the host.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    if (thread > 100n) throw new Exception("too many");
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

/// A thread throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrowInKernel;

impl Render for ThrowInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot throw").note(
            "a device has no exceptions: write an error number into a `GlobalRail` and throw on the host",
        )
    }
}
