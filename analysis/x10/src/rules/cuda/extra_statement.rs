//! `cuda/extra-statement`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement beside the loop or `async` that a kernel consists of.
pub static RULE: Rule = Rule {
    code: "cuda/extra-statement",
    severity: Severity::Error,
    summary: "A statement beside the loop or `async` that a kernel consists of.",
    explanation: r##"
In a kernel the `finish` holds one loop and the loop one `async`; only what is inside the innermost runs on
the device. A statement beside them would be run by nobody. (X10's own compiler drops it without a word.)

Move it into the threads, or out of the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) {
                async {
                    clocked finish for (thread in 0n..63n) clocked async {
                        out(block * 64n + thread) = thread;
                    }
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
                }
            }
        }
    }
}
"##,
};

/// A statement beside the loop or activity of a level.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant says what its fields are")]
pub enum ExtraStatement {
    /// Beside the loop over the blocks or threads.
    BesideLoop { noun: &'static str },
    /// Beside the `async` of the blocks or threads.
    BesideAsync { noun: &'static str },
}

impl Render for ExtraStatement {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            ExtraStatement::BesideLoop { noun } => RULE
                .at(range, format!("a statement beside the loop over the {noun}s"))
                .note(format!("only that loop runs on the device: nothing else may stand in its `finish`. Move the statement into the {noun}, or out of the `at`")),
            ExtraStatement::BesideAsync { noun } => RULE
                .at(range, format!("a statement beside the `async` of the {noun}s"))
                .note(format!("the loop only starts the {noun}s: move the statement into the `async`")),
        }
    }
}
