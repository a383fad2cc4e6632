//! `cuda/print-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Printing in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/print-in-kernel",
    severity: Severity::Error,
    summary: "Printing in the code of a kernel.",
    explanation: r##"
The console belongs to the host.

Write into a `GlobalRail`, copy it back with `Rail.asyncCopy`, and print after the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    Console.OUT.println(thread);
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.io.Console;

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

/// A thread prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintInKernel;

impl Render for PrintInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot print")
            .note("the console belongs to the host: write into a `GlobalRail`, copy it back, and print after the `at`")
    }
}
