//! `cuda/statement-after-blocks`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement after the blocks of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/statement-after-blocks",
    severity: Severity::Error,
    summary: "A statement after the blocks of a kernel.",
    explanation: r##"
A kernel ends with its last block. A statement after the loop over the blocks would have to run on the
device when all blocks are done, which a launch does not offer. (X10's own compiler drops it without a
word.)

Do it on the host after the `finish`, or in a second kernel.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
            Console.OUT.println("done");
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = thread;
                }
            }
        }
        Console.OUT.println("done");
    }
}
"##,
};

/// A statement after the blocks of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementAfterBlocks;

impl Render for StatementAfterBlocks {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a statement after the blocks of a kernel")
            .note(
                "a kernel ends with its threads; nothing can run on the device after them in the same launch",
            )
            .note("do it after the `finish` of the `at`")
    }
}
