//! `cuda/clock-operation`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A clock used in a kernel other than by `Clock.advanceAll()`.
pub static RULE: Rule = Rule {
    code: "cuda/clock-operation",
    severity: Severity::Error,
    summary: "A clock used in a kernel other than by `Clock.advanceAll()`.",
    explanation: r##"
The threads of a block have one barrier and no clock object. `Clock.advanceAll()` is all that there is.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    Clock.resumeAll();
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
                    Clock.advanceAll();
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A thread uses a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockOperation {
    /// The operation.
    pub method: MethodId,
}

impl Render for ClockOperation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a thread cannot call `{}`", cx.method_name(self.method)))
            .note("the threads of a block have one barrier and no clock object: `Clock.advanceAll()` is all there is")
    }
}
