//! `hoist/expression`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An expression that cannot be evaluated while a kernel is set up.
pub static RULE: Rule = Rule {
    code: "hoist/expression",
    severity: Severity::Error,
    summary: "An expression that cannot be evaluated while a kernel is set up.",
    explanation: r##"
The number of blocks and threads and the size of shared memory are computed on the host before the launch,
from literals, `val`s declared before the `at`, auto-configuration and arithmetic on these. Objects,
function values, and `at` expressions are not evaluated there.

Evaluate it before the `at` and keep the result in a `val`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val choose = (n:Int) => n * 2n;
        finish async at (p) @CUDA {
            finish for (block in 0n..choose(4n)) async {
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
        val choose = (n:Int) => n * 2n;
        val last = choose(4n);
        finish async at (p) @CUDA {
            finish for (block in 0n..last) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// An expression that cannot be evaluated while a kernel is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression;

impl Render for Expression {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this cannot be evaluated while a kernel is set up")
            .note("the host evaluates it before the launch: only literals, `val`s declared before the `at`, auto-configuration and arithmetic on \
                     these have the same value there")
    }
}
