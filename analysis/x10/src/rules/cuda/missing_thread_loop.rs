//! `cuda/missing-thread-loop`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A kernel without a loop over the threads of a block.
pub static RULE: Rule = Rule {
    code: "cuda/missing-thread-loop",
    severity: Severity::Error,
    summary: "A kernel without a loop over the threads of a block.",
    explanation: r##"
What runs on a device is the code of threads. A block without the loop over its threads has none.

Write `clocked finish for (thread in 0n..last) clocked async { ... }` around what each thread does.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                out(block) = block;
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
                clocked finish for (thread in 0n..0n) clocked async {
                    out(block) = block;
                }
            }
        }
    }
}
"##,
};

/// A block has no loop over its threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingThreadLoop {
    /// No loop is written.
    NoLoop,
    /// The `finish` holds no loop.
    NoLoopInFinish,
}

impl Render for MissingThreadLoop {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            MissingThreadLoop::NoLoop => RULE
                .at(range, "the kernel has no loop over its threads")
                .note("write `clocked finish for (thread in 0n..63n) clocked async { ... }` around what each thread does"),
            MissingThreadLoop::NoLoopInFinish => RULE
                .at(range, "the `finish` over the threads holds no loop")
                .note("write `for (thread in 0n..last)` directly inside it"),
        }
    }
}
