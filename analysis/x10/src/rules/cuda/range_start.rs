//! `cuda/range-start`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Blocks or threads that do not count from a literal 0.
pub static RULE: Rule = Rule {
    code: "cuda/range-start",
    severity: Severity::Error,
    summary: "Blocks or threads that do not count from a literal 0.",
    explanation: r##"
A device numbers blocks and threads from 0. A range that starts elsewhere would need an addition in every
use of the index, which apg does not hide.

Count from `0n` and add the start where the index is used.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 1n..8n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out((block - 1n) * 64n + thread) = thread;
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

/// Blocks or threads do not count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeStart {
    /// `block` or `thread`.
    pub noun: &'static str,
}

impl Render for RangeStart {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let noun = self.noun;
        RULE.at(range, format!("the {noun}s of a kernel do not count from a literal 0")).note(format!(
            "a device numbers its {noun}s from 0: count from `0n` and add the start to the index inside"
        ))
    }
}
