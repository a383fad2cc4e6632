//! `cuda/string-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A string in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/string-in-kernel",
    severity: Severity::Error,
    summary: "A string in the code of a kernel.",
    explanation: r##"
A string is an object of the host.

Write numbers into a `GlobalRail`, and make text of them after the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val text = "thread " + thread;
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

/// A thread uses a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StringInKernel {
    /// As a value.
    Value,
    /// As the receiver of a call.
    Receiver,
}

impl Render for StringInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot use a string").note(match self {
            StringInKernel::Value => {
                "a string is an object of the host: write numbers into a `GlobalRail`, and make text of them after the `at`"
            }
            StringInKernel::Receiver => "a string is an object of the host: make numbers of it before the `at`",
        })
    }
}
