//! `cuda/closure-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A function value called in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/closure-call",
    severity: Severity::Error,
    summary: "A function value called in the code of a kernel.",
    explanation: r##"
Which code a function value holds is known only at run time, and it is code for the host.

Call a `@CUDA static def` by name.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, f:(Int)=>Float) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = f(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    @CUDA static def twice(x:Int):Float = 2.0f * x;

    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = twice(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread calls a function value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosureCall {
    /// The type of the function.
    pub ty: Ty,
}

impl Render for ClosureCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "a thread cannot call a function value").note(format!(
            "which code it is would be known at run time only: call a `@CUDA static def` by name, or a struct's `operator this` \
             through a type parameter, `F <: {}`",
            cx.show_base(self.ty)
        ))
    }
}
