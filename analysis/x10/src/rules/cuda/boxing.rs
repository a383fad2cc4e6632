//! `cuda/boxing`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A value made into an object in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/boxing",
    severity: Severity::Error,
    summary: "A value made into an object in the code of a kernel.",
    explanation: r##"
A variable of type `Any` or of an interface holds a reference to an object; to put a number in, one has to
be allocated, and a device has no heap.

Keep the value in a variable of its own type.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val any:Any = thread;
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
                    val same:Int = thread;
                    out(block * 64n + thread) = same;
                }
            }
        }
    }
}
"##,
};

/// A thread boxes a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boxing {
    /// The type of the box.
    pub ty: Ty,
}

impl Render for Boxing {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(
            range,
            format!("a thread cannot make an object of type `{}` from a value", cx.show_base(self.ty)),
        )
        .note("a device has no heap: keep the value in a variable of its own type")
    }
}
