//! `cuda/long-range`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// Blocks or threads counted by a range of Longs.
pub static RULE: Rule = Rule {
    code: "cuda/long-range",
    severity: Severity::Error,
    summary: "Blocks or threads counted by a range of Longs.",
    explanation: r##"
A device numbers blocks and threads with 32 bits. With Longs the program would promise more than any launch
can give.

Write Ints: `0n..7n`, or `0n..((count - 1) as Int)`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0..7) async {
                clocked finish for (thread in 0n..63n) clocked async {
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
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
};

/// Blocks or threads are counted by `Long`s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongRange {
    /// `block` or `thread`.
    pub noun: &'static str,
}

impl Render for LongRange {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("the {}s of a kernel are counted by a range of Longs", self.noun))
            .note("a device numbers blocks and threads with 32 bits: use Ints, as in `0n..7n`")
    }
}
