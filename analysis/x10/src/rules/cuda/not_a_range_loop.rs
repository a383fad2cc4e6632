//! `cuda/not-a-range-loop`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Blocks or threads that are not counted by `for (i in 0n..last)`.
pub static RULE: Rule = Rule {
    code: "cuda/not-a-range-loop",
    severity: Severity::Error,
    summary: "Blocks or threads that are not counted by `for (i in 0n..last)`.",
    explanation: r##"
All blocks of a kernel exist at once, and all threads of a block. A `while` or a `for` with a condition and
a step says in which order things happen, and each step may change whether there is a next one: that cannot
be laid out on a device before it runs.

Iterate over a range. A loop that has to run in order belongs into the code of the threads, or around the
`at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (var block:Int = 0n; block < 8n; block++) async {
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
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// Blocks or threads are counted by a loop that orders them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotARangeLoop {
    /// `block` or `thread`.
    pub noun: &'static str,
}

impl Render for NotARangeLoop {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let noun = self.noun;
        let diagnostic = RULE
            .at(range, format!("the {noun}s of a kernel are not counted by a `for ({noun} in 0n..last)`"))
            .note(format!(
                "all {noun}s exist at once, so there is no first and no next one: iterate over a range"
            ));
        match noun {
            "block" => diagnostic
                .note("a loop that has to run in order belongs into the threads, or around the `at`"),
            _ => diagnostic,
        }
    }
}
