//! `cuda/prelude-statement`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement before the blocks of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/prelude-statement",
    severity: Severity::Error,
    summary: "A statement before the blocks of a kernel.",
    explanation: r##"
What runs on a device is the code of the threads. A statement between the `at` and the loop over the blocks
would have to run on the device once, before all blocks, and there is nothing there that could run it.

Move it before the `at`, where the host runs it, or into the threads.
"##,
    failing: r##"
import x10.compiler.CUDA;
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            Console.OUT.println("starting");
            finish for (block in 0n..7n) async {
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
import x10.io.Console;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        Console.OUT.println("starting");
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

/// A statement before the blocks of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreludeStatement;

impl Render for PreludeStatement {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a statement before the blocks of a kernel").note(
            "what is not in a thread would run on the host: move it before the `at`, or into the threads",
        )
    }
}
