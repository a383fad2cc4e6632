//! `cuda/statement-after-threads`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement after the threads of a block.
pub static RULE: Rule = Rule {
    code: "cuda/statement-after-threads",
    severity: Severity::Error,
    summary: "A statement after the threads of a block.",
    explanation: r##"
A block ends with its threads; there is nobody left in it who could run a further statement. (X10's own
compiler drops it without a word.)

Let one of the threads do it: after a `Clock.advanceAll()`, under `if (thread == 0n)`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
                out(block) = 0.0f;
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
                    Clock.advanceAll();
                    if (thread == 0n) out(block) = 0.0f;
                }
            }
        }
    }
}
"##,
};

/// A statement after the threads of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementAfterThreads;

impl Render for StatementAfterThreads {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a statement after the threads of a block")
            .note("a kernel ends with its threads; nothing can run on the device after them in the same launch")
            .note("let one thread do it: put it at the end of the thread's code, after a `Clock.advanceAll()`, under `if (thread == 0n)`")
    }
}
