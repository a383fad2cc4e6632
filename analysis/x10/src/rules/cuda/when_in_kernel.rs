//! `cuda/when-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `when` statement in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/when-in-kernel",
    severity: Severity::Error,
    summary: "A `when` statement in the code of a kernel.",
    explanation: r##"
A thread cannot wait until another changes something: the one it waits for may not have started.

Threads of a block wait for each other with `Clock.advanceAll()`. Waiting for another block means ending the
kernel.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    when (out(block * 64n + thread) > 0.0f) { out(block * 64n + thread) = thread; }
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

/// A thread waits for a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhenInKernel;

impl Render for WhenInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot wait for a condition")
            .note("threads of a block wait for each other with `Clock.advanceAll()`; other waiting belongs after the `at`")
    }
}
