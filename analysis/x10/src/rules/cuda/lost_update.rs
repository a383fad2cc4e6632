//! `cuda/lost-update`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An element that all threads of a block read, change and store.
pub static RULE: Rule = Rule {
    code: "cuda/lost-update",
    severity: Severity::Warning,
    summary: "An element that all threads of a block read, change and store.",
    explanation: r##"
`sum(0) += x` reads the element, adds, and stores the result. Threads run at the same time: many read the same old value, and of what they
store the last one stays. The result then differs from run to run, and between a GPU and the processor.

`CUDAAtomic.add(sum, 0, x)` adds without being disturbed. Faster where there are many threads: each keeps a value of its own,
`CUDABlock.sum(x)` adds them up, and one thread stores the sum of the block.

Only what is certain is reported: the same element in all threads of a block, under no condition that picks threads.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def sum(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(0) += data(block * 64n + thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.util.CUDAAtomic;

class Example {
    static def sum(p:Place, data:Rail[Float], out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    CUDAAtomic.add(out, 0, data(block * 64n + thread));
                }
            }
        }
    }
}
"##,
};

/// All threads of a block update one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostUpdate {
    /// The rail.
    pub rail: LocalId,
    /// The operation of `CUDAAtomic` that does the same.
    pub function: Option<&'static str>,
}

impl Render for LostUpdate {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.rail);
        let own = "each thread keep a value of its own, combine those by `CUDABlock`, and let one thread store the result";
        RULE.at(
            range,
            format!("all threads of a block change the same element of `{name}`, so changes get lost"),
        )
        .note("threads read the element before others have stored theirs: only some of what they store stays")
        .note(match self.function {
            Some(function) => format!("write `CUDAAtomic.{function}({name}, index, value)`; or let {own}"),
            None => format!("let {own}"),
        })
    }
}
