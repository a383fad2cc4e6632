//! `cuda/shared-large`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// More shared memory than every device grants a block.
pub static RULE: Rule = Rule {
    code: "cuda/shared-large",
    severity: Severity::Warning,
    summary: "More shared memory than every device grants a block.",
    explanation: r##"
Every device grants a block 48 KiB of shared memory. More must be requested, is granted by newer devices
only, and leaves room for fewer blocks at a time. apg asks for it, so the kernel runs where it can;
elsewhere the launch fails with an exception.

If that matters, keep a smaller part in shared memory at a time.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Double](8000);
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

/// A block needs more shared memory than every device has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedLarge {
    /// What it needs.
    pub bytes: u64,
    /// What every device has.
    pub common: u64,
}

impl Render for SharedLarge {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let message = format!(
            "a block needs {} bytes of shared memory, more than the {} that every device has",
            self.bytes, self.common
        );
        RULE.at(range, message).note("it runs only on devices that grant more, and fewer blocks run at a time; keep a smaller part in shared memory if that matters")
    }
}
