//! `cuda/overlapping-blocks`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Blocks with one thread more than the elements that lie between them.
pub static RULE: Rule = Rule {
    code: "cuda/overlapping-blocks",
    severity: Severity::Warning,
    summary: "Blocks with one thread more than the elements that lie between them.",
    explanation: r##"
A range contains both its ends: `0n..64n` are 65 threads. With `block * 64n + thread` as index, the last thread of a block has the element
of the first thread of the next one, and which of the two stores last is not known.

Count to `0n..63n`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def twice(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..64n) clocked async {
                    val i = block * 64n + thread;
                    out(i) = 2.0f * data(i);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def twice(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val i = block * 64n + thread;
                    out(i) = 2.0f * data(i);
                }
            }
        }
    }
}
"##,
};

/// Blocks share an element at their boundary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverlappingBlocks {
    /// The rail.
    pub rail: LocalId,
    /// The last thread index, which is the distance of blocks.
    pub last: i64,
    /// Where it is written.
    pub last_range: TextRange,
}

impl Render for OverlappingBlocks {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, last) = (cx.local_name(self.rail), self.last);
        RULE.at(range, format!("the last thread of a block and the first of the next store into one element of `{name}`"))
            .note(format!(
                "a range contains both its ends: these are {} threads, and the next block starts {last} elements further. \
                 Write `0n..{}n`",
                last + 1,
                last - 1
            ))
            .related(cx.related(self.last_range, "the number of the last thread"))
    }
}
