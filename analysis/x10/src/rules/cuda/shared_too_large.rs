//! `cuda/shared-too-large`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// More shared memory than any device has for a block.
pub static RULE: Rule = Rule {
    code: "cuda/shared-too-large",
    severity: Severity::Error,
    summary: "More shared memory than any device has for a block.",
    explanation: r##"
No device grants one block more than 227 KiB of shared memory.

Keep a smaller part in shared memory at a time, or read from a `GlobalRail` directly: its elements are
cached as well.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Double](32000);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = thread;
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
                val cache = new Rail[Double](4000);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = thread;
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// A block needs more shared memory than any device has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedTooLarge {
    /// What it needs.
    pub bytes: u64,
    /// What devices have.
    pub max: u64,
}

impl Render for SharedTooLarge {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let message = format!(
            "a block needs {} bytes of shared memory, no device has more than {}",
            self.bytes, self.max
        );
        RULE.at(range, message)
            .note("keep a smaller part in shared memory at a time, or read from a `GlobalRail` directly")
    }
}
