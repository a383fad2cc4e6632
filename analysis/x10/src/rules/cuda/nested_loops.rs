//! `cuda/nested-loops`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Blocks or threads that are counted by loops inside each other.
pub static RULE: Rule = Rule {
    code: "cuda/nested-loops",
    severity: Severity::Error,
    summary: "Blocks or threads that are counted by loops inside each other.",
    explanation: r##"
A launch starts all blocks at once, and each block all its threads. So there is one loop over the blocks and one over the threads, whose
header says how many there are; loops inside each other say the same of a sequential program.

Write one loop over the product of the ranges. It may have up to three axes, which are `Long`s; the last one is the device's `x`, along which neighbouring
threads are numbered.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (by in 0n..3n) for (bx in 0n..7n) async {
                clocked finish for (ty in 0n..7n) for (tx in 0n..7n) clocked async {
                    out((by * 8n + ty) * 64n + bx * 8n + tx) = 1.0f;
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
            finish for ([by, bx] in 0n..3n * 0n..7n) async {
                clocked finish for ([ty, tx] in 0n..7n * 0n..7n) clocked async {
                    out((by * 8n + ty) * 64n + bx * 8n + tx) = 1.0f;
                }
            }
        }
    }
}
"##,
};

/// Blocks or threads are counted by nested loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NestedLoops {
    /// `block` or `thread`.
    pub noun: &'static str,
}

impl Render for NestedLoops {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let noun = self.noun;
        RULE.at(range, format!("the {noun}s of a kernel are counted by loops inside each other"))
            .note(format!("all {noun}s are started by one loop, which may have up to three axes: write `for ([y, x] in 0n..lastY * 0n..lastX)`, where `y` and `x` are `Long`s"))
    }
}
