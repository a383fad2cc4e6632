//! `cuda/misplaced-shared-memory`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A rail made inside a kernel but outside its blocks.
pub static RULE: Rule = Rule {
    code: "cuda/misplaced-shared-memory",
    severity: Severity::Error,
    summary: "A rail made inside a kernel but outside its blocks.",
    explanation: r##"
Memory that threads share belongs to a block: each block has its own, made when it starts. What stands
before the blocks would be shared by all of them, which a device does not offer.

Define it between the loop over the blocks and the loop over the threads. A rail that all blocks read is
made before the `at`; it is copied to the device. Behind the threads a rail would come too late for them.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            val cache = new Rail[Float](64);
            finish for (block in 0n..7n) async {
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
                val cache = new Rail[Float](64);
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

/// A rail that is made where it belongs to no block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MisplacedSharedMemory {
    /// Before the blocks.
    OutsideBlocks,
    /// After the threads.
    AfterThreads,
}

impl Render for MisplacedSharedMemory {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let message = match self {
            MisplacedSharedMemory::OutsideBlocks => "a rail made inside the kernel, but outside its blocks",
            MisplacedSharedMemory::AfterThreads => "a rail made after the threads that would share it",
        };
        RULE.at(range, message)
            .note("memory that threads share belongs to a block: define it between the loop over the blocks and the loop over the threads")
            .note("a rail that all blocks read is made before the `at`")
    }
}
