//! `cuda/missing-barrier`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Shared memory that one thread writes and another reads, with no barrier between.
pub static RULE: Rule = Rule {
    code: "cuda/missing-barrier",
    severity: Severity::Warning,
    summary: "Shared memory that one thread writes and another reads, with no barrier between.",
    explanation: r##"
The threads of a block run in any order. What one of them wrote into shared memory another one sees for sure only behind a
barrier that both have passed; and what it has yet to read may be overwritten by a thread that is ahead. The result then differs from
run to run, from device to device, and between a GPU and the processor.

Write `Clock.advanceAll()` between the write and the read. In a loop that fills shared memory anew in each round there are two
barriers: one between filling and reading, and one before it is filled again.

Only what is certain is reported. Indices and conditions are evaluated for all threads of a block: sums, products, remainders, masks and shifts
of the thread's indices, of loop variables and of values that are the same for all threads, as in `cache((thread + 1n) % 64n)`. The message names two
of the threads. Loops like `for (var d:Int = 32n; d > 0n; d /= 2n)`, where numbers alone decide how often they run, are executed iteration by
iteration. Where the number of threads is a variable, what is reported holds for any number from two on.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def reverse(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = out(block * 64n + thread);
                    out(block * 64n + thread) = cache(63n - thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def reverse(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val cache = new Rail[Float](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    cache(thread) = out(block * 64n + thread);
                    Clock.advanceAll();
                    out(block * 64n + thread) = cache(63n - thread);
                }
            }
        }
    }
}
"##,
};

/// Conflicting accesses to shared memory without a barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingBarrier {
    /// The shared memory.
    pub rail: LocalId,
    /// The other access.
    pub other: TextRange,
    /// Whether the second access is the write.
    pub is_write: bool,
    /// A thread that reads.
    pub reader: ThreadIndex,
    /// The thread that writes the element.
    pub writer: ThreadIndex,
    /// The size of the block, if it is a sample.
    pub block: Vec<i64>,
    /// The index of the block, if not all blocks have such threads.
    pub block_index: Option<i64>,
}

/// The indices of a thread in its block, outermost axis first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadIndex(pub Vec<i64>);

impl std::fmt::Display for ThreadIndex {
    /// `thread 63`, or `thread (3, 0)`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let indices: Vec<String> = self.0.iter().map(i64::to_string).collect();
        match &indices[..] {
            [one] => write!(f, "thread {one}"),
            _ => write!(f, "thread ({})", indices.join(", ")),
        }
    }
}

impl Render for MissingBarrier {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.rail);
        let (reader, writer) = (&self.reader, &self.writer);
        let (message, there) = match self.is_write {
            true => (
                format!(
                    "a thread writes an element of `{name}` that another one may still have to read: {writer} writes \
                     what {reader} reads"
                ),
                "it is read here, and no barrier is between",
            ),
            false => (
                format!(
                    "a thread reads an element of `{name}` that another one writes: {reader} reads what {writer} writes"
                ),
                "it is written here, and no barrier is between",
            ),
        };
        let block = match self.block[..] {
            [] => String::new(),
            _ => {
                let sizes: Vec<String> = self.block.iter().map(i64::to_string).collect();
                format!(", in a block of {} threads", sizes.join(" x "))
            }
        };
        let index = self.block_index.map(|index| format!(", in block {index}")).unwrap_or_default();
        RULE.at(range, format!("{message}{index}{block}"))
            .note("the threads of a block run in any order: `Clock.advanceAll()` lets all of them arrive here before one continues")
            .related(cx.related(self.other, there))
    }
}
