//! `cuda/barrier-outside-thread`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A barrier in the initialiser of shared memory.
pub static RULE: Rule = Rule {
    code: "cuda/barrier-outside-thread",
    severity: Severity::Error,
    summary: "A barrier in the initialiser of shared memory.",
    explanation: r##"
The threads of a block fill shared memory in a loop, in which some have one iteration more than others, so that not all of them would
come to the barrier. There is one behind it anyway.

Call `Clock.advanceAll()` in the code of the threads, or in a `@CUDA` function that they call.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val ones = new Rail[Float](64, (i:Long) => { Clock.advanceAll(); return 1.0f; });
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = ones(thread);
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
                val ones = new Rail[Float](64, (i:Long) => 1.0f);
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = ones(thread);
                }
            }
        }
    }
}
"##,
};

/// A barrier in the initialiser of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarrierOutsideThread;

impl Render for BarrierOutsideThread {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a barrier in the initialiser of shared memory")
            .note("the threads fill shared memory in a loop with different numbers of iterations: call `Clock.advanceAll()` in their own code")
    }
}
