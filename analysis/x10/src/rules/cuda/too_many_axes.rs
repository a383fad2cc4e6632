//! `cuda/too-many-axes`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Blocks or threads with more than three axes.
pub static RULE: Rule = Rule {
    code: "cuda/too-many-axes",
    severity: Severity::Error,
    summary: "Blocks or threads with more than three axes.",
    explanation: r##"
A device lays out blocks, and threads in a block, along one to three axes.

Use at most three ranges, and compute further indices from one of them with `/` and `%`.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.array.IterationSpace;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, space:IterationSpace{self.rank == 4}) {
        finish async at (p) @CUDA {
            finish for ([a, b, c, d] in space) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(thread) = thread;
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
                    out(thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// Blocks or threads have too many axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooManyAxes {
    /// `block` or `thread`.
    pub noun: &'static str,
    /// The number of axes.
    pub count: usize,
    /// What a device has.
    pub max: usize,
}

impl Render for TooManyAxes {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(
            range,
            format!("the {}s have {} axes, a device has at most {}", self.noun, self.count, self.max),
        )
        .note("use fewer ranges and compute the further indices from one of them with `/` and `%`")
    }
}
