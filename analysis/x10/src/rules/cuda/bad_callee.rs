//! `cuda/bad-callee`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A call in a kernel of a `@CUDA` function that breaks a rule.
pub static RULE: Rule = Rule {
    code: "cuda/bad-callee",
    severity: Severity::Error,
    summary: "A call in a kernel of a `@CUDA` function that breaks a rule.",
    explanation: r##"
A function marked `@CUDA` keeps the rules of kernels, and so do all that it calls. This one does not; the
message says what is wrong, and the function itself has a diagnostic where it is.

Fix the function, or call another.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def first(n:Int):Float {
        val all = new Rail[Float](4);
        return all(0);
    }

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = first(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def first(n:Int):Float {
        return 0.0f;
    }

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = first(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread calls a function that violates a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadCallee {
    /// The function.
    pub method: MethodId,
    /// The function called by the thread, if it is another one.
    pub through: Option<MethodId>,
    /// The violation.
    pub reason: String,
}

impl Render for BadCallee {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.method_name(self.method);
        let through = self.through.map(|it| format!(" through `{}`", cx.method_name(it))).unwrap_or_default();
        RULE.at(range, format!("a thread calls `{name}`{through}, which a device cannot run"))
            .note(format!("{}: fix the function, or do without it here", self.reason))
    }
}
