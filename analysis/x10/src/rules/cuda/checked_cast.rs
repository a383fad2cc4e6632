//! `cuda/checked-cast`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A cast in a kernel that checks a constraint.
pub static RULE: Rule = Rule {
    code: "cuda/checked-cast",
    severity: Severity::Error,
    summary: "A cast in a kernel that checks a constraint.",
    explanation: r##"
If a constraint does not hold, the cast raises an exception, and a device has none.

Cast to the type without its constraint, or check before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val n = thread as Int{self != 0n};
                    out(block * 64n + thread) = n;
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
                    val n = thread;
                    out(block * 64n + thread) = n;
                }
            }
        }
    }
}
"##,
};

/// A thread checks a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCast;

impl Render for CheckedCast {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot check a constraint")
            .note("a failed check is an exception, which a device does not have: cast to the type without its constraint, or check before the `at`")
    }
}
