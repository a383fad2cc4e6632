//! `cuda/empty-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A kernel without any code.
pub static RULE: Rule = Rule {
    code: "cuda/empty-kernel",
    severity: Severity::Error,
    summary: "A kernel without any code.",
    explanation: r##"
The body of an `at` with `@CUDA` holds a loop over blocks, and in it a loop over threads. An empty body
starts nothing.

Write the two loops, or remove `@CUDA`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place) {
        finish async at (p) @CUDA { }
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

/// A kernel without code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptyKernel;

impl Render for EmptyKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a kernel without any code")
            .note("write `finish for (block in 0n..7n) async { clocked finish for (thread in 0n..63n) clocked async { ... } }` \
                     inside, or remove `@CUDA`")
    }
}
