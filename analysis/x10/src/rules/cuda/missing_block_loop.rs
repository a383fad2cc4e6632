//! `cuda/missing-block-loop`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A kernel without a loop over its blocks.
pub static RULE: Rule = Rule {
    code: "cuda/missing-block-loop",
    severity: Severity::Error,
    summary: "A kernel without a loop over its blocks.",
    explanation: r##"
The code of a kernel is that of its threads, which lie in two loops: one over the blocks, in it one over the
threads of a block. Here the outer one is missing.

Write `finish for (block in 0n..last) async { ... }` around what each block does.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            out(0) = 1.0f;
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

/// A kernel has no loop over its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingBlockLoop {
    /// No loop is written.
    NoLoop,
    /// The `finish` holds no loop.
    NoLoopInFinish,
    /// The kernel has threads, but no blocks.
    ThreadsOnly,
}

impl Render for MissingBlockLoop {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            MissingBlockLoop::NoLoop => RULE
                .at(range, "the kernel has no loop over its blocks")
                .note("write `finish for (block in 0n..7n) async { ... }` around what each block does"),
            MissingBlockLoop::NoLoopInFinish => RULE
                .at(range, "the `finish` over the blocks holds no loop")
                .note("write `for (block in 0n..last)` directly inside it"),
            MissingBlockLoop::ThreadsOnly => RULE
                .at(range, "the kernel has threads, but no blocks that they are of")
                .note("the threads of one block share a barrier and a multiprocessor; a device runs many blocks: write `finish for (block in 0n..7n) async { ... }` around them"),
        }
    }
}
