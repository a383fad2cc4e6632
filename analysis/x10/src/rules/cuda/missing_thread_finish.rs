//! `cuda/missing-thread-finish`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The loop over the threads of a block is not in a `clocked finish`.
pub static RULE: Rule = Rule {
    code: "cuda/missing-thread-finish",
    severity: Severity::Error,
    summary: "The loop over the threads of a block is not in a `clocked finish`.",
    explanation: r##"
A block is over when all its threads are, and its threads share a barrier: that is a `clocked finish`.

Write `clocked finish for (thread in 0n..last) clocked async`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                for (thread in 0n..63n) async {
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

/// The loop over the threads is not in a `finish`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingThreadFinish {
    /// Whether it starts no activities, either.
    pub is_sequential: bool,
}

impl Render for MissingThreadFinish {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let message = match self.is_sequential {
            true => "the loop over the threads runs them one after the other",
            false => "the loop over the threads is not in a `clocked finish`",
        };
        RULE.at(range, message).note("a block ends when all its threads have: write `clocked finish for (thread in ...) clocked async`")
    }
}
