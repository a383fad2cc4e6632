//! `cuda/misplaced-annotation`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// `@CUDA` on a statement that is not the body of an `at`.
pub static RULE: Rule = Rule {
    code: "cuda/misplaced-annotation",
    severity: Severity::Error,
    summary: "`@CUDA` on a statement that is not the body of an `at`.",
    explanation: r##"
A kernel is code that is sent to a place and runs there, on the device if the place is one, on the CPU if it
is a host. So `@CUDA` stands before the body of an `at` statement; in front of anything else there is no
place to send it to.

Move the annotation: `finish async at (p) @CUDA { ... }`. On a `static def`, `@CUDA` has another meaning:
kernels may call it.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        @CUDA finish async at (p) {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
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

/// `@CUDA` on a statement that is no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MisplacedAnnotation;

impl Render for MisplacedAnnotation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "`@CUDA` on a statement that is not the body of an `at`")
            .note("a kernel is sent to a place: write `at (p) @CUDA { ... }`")
    }
}
