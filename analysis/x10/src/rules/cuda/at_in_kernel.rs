//! `cuda/at-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `at` in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/at-in-kernel",
    severity: Severity::Error,
    summary: "An `at` in the code of a kernel.",
    explanation: r##"
A thread runs on its device from its start to its end; it cannot go on somewhere else, nor fetch a value
from there.

Fetch what it needs into a `val` or rail before the `at` that launches the kernel, and leave results in a
`GlobalRail`.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    at (Place.FIRST_PLACE) { Console.OUT.println("done"); }
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

/// A thread goes to another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AtInKernel {
    /// By a statement.
    Statement,
    /// By an expression.
    Expression,
}

impl Render for AtInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot go to another place").note(match self {
            AtInKernel::Statement => {
                "a thread runs on its device to its end: leave the result in a `GlobalRail` and go on after the `at`"
            }
            AtInKernel::Expression => "evaluate this before the `at` that launches the kernel, into a `val`",
        })
    }
}
