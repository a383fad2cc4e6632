//! `cuda/closure-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A function value made in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/closure-in-kernel",
    severity: Severity::Error,
    summary: "A function value made in the code of a kernel.",
    explanation: r##"
A closure is an object that holds the variables it uses, and a device has no heap.

Write the code itself, or a `@CUDA static def`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val twice = (x:Int) => 2n * x;
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
                    val twice = 2n * thread;
                    out(block * 64n + thread) = twice;
                }
            }
        }
    }
}
"##,
};

/// A thread makes a function value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosureInKernel;

impl Render for ClosureInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot make a function value")
            .note("a closure is an object: write the code itself, or make it a `@CUDA static def`")
    }
}
