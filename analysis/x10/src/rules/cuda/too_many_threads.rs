//! `cuda/too-many-threads`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// More threads in a block than a device takes.
pub static RULE: Rule = Rule {
    code: "cuda/too-many-threads",
    severity: Severity::Error,
    summary: "More threads in a block than a device takes.",
    explanation: r##"
A block has at most 1024 threads on every device; a launch with more fails.

Use more blocks of fewer threads. `CUDAUtilities.autoThreads()` picks a number that suits the device.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..2047n) clocked async {
                    out(block * 2048n + thread) = thread;
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
            finish for (block in 0n..15n) async {
                clocked finish for (thread in 0n..1023n) clocked async {
                    out(block * 1024n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A block has too many threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooManyThreads {
    /// Threads of a block.
    pub count: i64,
    /// What a device takes.
    pub max: i64,
}

impl Render for TooManyThreads {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a block of {} threads, a device takes at most {}", self.count, self.max))
            .note("use more blocks of fewer threads; `CUDAUtilities.autoThreads()` picks a number that suits the device")
    }
}
