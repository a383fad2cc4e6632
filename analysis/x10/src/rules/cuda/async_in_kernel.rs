//! `cuda/async-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `async` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/async-in-kernel",
    severity: Severity::Error,
    summary: "An `async` in the code of a kernel.",
    explanation: r##"
All threads of a kernel start with it. A thread cannot start another activity: a device has no scheduler for
them.

Give the kernel more threads, or start the activity on the host after the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    async { out(block * 64n + thread) = thread; }
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

/// An activity is started in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AsyncInKernel {
    /// By a thread.
    Thread,
    /// By the kernel itself, `at (p) @CUDA async { ... }`.
    Whole,
}

impl Render for AsyncInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            AsyncInKernel::Thread => RULE.at(range, "a thread cannot start activities").note(
                "all threads of a kernel are started with it: give the kernel more threads, or start the activity after the `at`",
            ),
            AsyncInKernel::Whole => RULE
                .at(range, "this `async` is a part of the kernel, which starts no activities")
                .note("the host starts the activity that launches the kernel: write `finish async at (p) @CUDA { finish for (block in ...) ... }`"),
        }
    }
}
