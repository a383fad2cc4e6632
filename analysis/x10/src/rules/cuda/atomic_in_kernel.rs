//! `cuda/atomic-in-kernel`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `atomic` statement in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/atomic-in-kernel",
    severity: Severity::Error,
    summary: "An `atomic` statement in the code of a kernel.",
    explanation: r##"
`atomic` keeps all other activities of a place away while it runs. On a device that would be thousands of
threads, run in groups that cannot wait for one another.

A single element is updated by the operations of `x10.util.CUDAAtomic` (`add`, `min`, `max`, `cas`, ...), which
devices have. For more, let each thread write elements of its own, and combine them after a
`Clock.advanceAll()`, or on the host.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    atomic { out(block * 64n + thread) = thread; }
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

/// A thread locks its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtomicInKernel;

impl Render for AtomicInKernel {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot lock its place")
            .note("update one element with `CUDAAtomic.add(rail, index, value)` and its like, or let each thread write elements \
                 of its own and combine them after a `Clock.advanceAll()`")
    }
}
