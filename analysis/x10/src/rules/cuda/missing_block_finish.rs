//! `cuda/missing-block-finish`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The loop over the blocks of a kernel is not in a `finish`.
pub static RULE: Rule = Rule {
    code: "cuda/missing-block-finish",
    severity: Severity::Error,
    summary: "The loop over the blocks of a kernel is not in a `finish`.",
    explanation: r##"
A kernel is over when all its blocks are; that is what the `finish` around the loop says. Without it the
program would mean that the `at` ends while its blocks still run, which no launch does.

Write `finish for (block in 0n..last) async`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            for (block in 0n..7n) async {
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

/// The loop over the blocks is not in a `finish`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingBlockFinish {
    /// Whether it starts no activities, either.
    pub is_sequential: bool,
}

impl Render for MissingBlockFinish {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let message = match self.is_sequential {
            true => "the loop over the blocks runs them one after the other",
            false => "the loop over the blocks is not in a `finish`",
        };
        RULE.at(range, message)
            .note("a kernel ends when all its blocks have: write `finish for (block in ...) async`")
    }
}
