//! `cuda/reference-cast`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A cast between classes in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/reference-cast",
    severity: Severity::Error,
    summary: "A cast between classes in the code of a kernel.",
    explanation: r##"
Such a cast asks an object for its class. Values on a device carry none, and objects do not travel there.

Cast before the `at`, and pass the numbers that the kernel needs.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, thing:Any) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = (thing as Rail[Float])(thread);
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, thing:Any) {
        val values = thing as Rail[Float];
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = values(thread);
                }
            }
        }
    }
}
"##,
};

/// A thread casts to a type of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceCast {
    /// The type.
    pub ty: Ty,
}

impl Render for ReferenceCast {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a thread cannot cast to `{}`", cx.show_base(self.ty)))
            .note("values on a device carry no class: cast before the `at`")
    }
}
