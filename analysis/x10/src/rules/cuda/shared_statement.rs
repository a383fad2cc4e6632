//! `cuda/shared-statement`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement before the threads of a block.
pub static RULE: Rule = Rule {
    code: "cuda/shared-statement",
    severity: Severity::Error,
    summary: "A statement before the threads of a block.",
    explanation: r##"
Before its threads a block defines only its shared memory. Any other statement would have to run once a
block, before the threads, and on a device everything is run by threads.

Let one of the threads do it, or all of them their part.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                out(block) = 0.0f;
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
                    if (thread == 0n) out(block) = 0.0f;
                }
            }
        }
    }
}
"##,
};

/// A statement before the threads of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedStatement;

impl Render for SharedStatement {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a statement before the threads of a block")
            .note("here stand only the block's shared memory, as in `val s = new Rail[Float](64);`. Let the threads do \
                             the rest: one of them under `if (thread == 0n)`, or each of them its part")
    }
}
