//! `cuda/empty-range`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A kernel whose range of blocks or threads is empty.
pub static RULE: Rule = Rule {
    code: "cuda/empty-range",
    severity: Severity::Warning,
    summary: "A kernel whose range of blocks or threads is empty.",
    explanation: r##"
A range contains both its ends, so `0n..7n` counts eight, and a range whose upper end is negative counts
none. A kernel without blocks or threads does nothing.

Count to `n - 1n`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..-1n) async {
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

/// A kernel without blocks or threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmptyRange;

impl Render for EmptyRange {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this range is empty, so the kernel does nothing")
            .note("the upper end belongs to the range: `0n..(n - 1n)` counts n")
    }
}
