//! `cuda/block-race`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An element that one block writes and another one reads.
pub static RULE: Rule = Rule {
    code: "cuda/block-race",
    severity: Severity::Warning,
    summary: "An element that one block writes and another one reads.",
    explanation: r##"
The blocks of a kernel run in any order, some at the same time and others after those: `Clock.advanceAll()` waits for the threads of its block
alone. An element that another block writes in the same launch may still have its old value, or already its new one. The result then differs
from run to run, from device to device, and between a GPU and the processor.

Write the results into another rail, so that all blocks read what was there before the launch. Or end the kernel after the writes, and read in
a kernel of its own: its launch waits for the first one.

Only what is certain is reported. Indices are sums and products of the indices of blocks and threads with constants; the number of
threads is a constant; conditions compare such numbers, or bound the element itself, as `if (i < n)`. The message names two threads. Kernels
with atomic operations are left out, as blocks may wait for each other by these.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def smooth(p:Place, values:GlobalRail[Float]{self.home() == p}, n:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    if (i < n - 1n) values(i) = 0.5f * (values(i) + values(i + 1n));
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def smooth(p:Place, values:GlobalRail[Float]{self.home() == p}, smoothed:GlobalRail[Float]{self.home() == p}, n:Int) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    if (i < n - 1n) smoothed(i) = 0.5f * (values(i) + values(i + 1n));
                }
            }
        }
    }
}
"##,
};

/// A load of an element that another block stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockRace {
    /// The rail.
    pub rail: LocalId,
    /// The store.
    pub store: TextRange,
    /// The block and the thread that read.
    pub reader: (Vec<i64>, Vec<i64>),
    /// The block and the thread that write.
    pub writer: (Vec<i64>, Vec<i64>),
}

/// `thread 63 of block 0`, or `thread (3, 0) of block 1`.
fn describe((block, thread): &(Vec<i64>, Vec<i64>)) -> String {
    let list = |indices: &[i64]| match indices {
        [one] => one.to_string(),
        _ => format!("({})", indices.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    };
    format!("thread {} of block {}", list(thread), list(block))
}

impl Render for BlockRace {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.rail);
        let (reader, writer) = (describe(&self.reader), describe(&self.writer));
        RULE.at(
            range,
            format!("a block reads an element of `{name}` that another one writes: {reader} reads what {writer} writes"),
        )
        .note(
            "blocks run in any order, and a barrier waits for the threads of its block alone: write into another \
             rail, or read in a kernel of its own",
        )
        .related(cx.related(self.store, "it is written here"))
    }
}
