//! `cuda/element-type`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::ObjectReference;
use crate::ty::Ty;

/// A rail in a kernel whose elements a device cannot hold.
pub static RULE: Rule = Rule {
    code: "cuda/element-type",
    severity: Severity::Error,
    summary: "A rail in a kernel whose elements a device cannot hold.",
    explanation: r##"
The memory of a device holds numbers, `Boolean`, `Char`, and structs made of these. Strings, objects and
function values are references into the memory of the host, and mean nothing on a device. Textures are captured by themselves or in
structs: a launch sees that they live where it runs.

Take the numbers out of the objects, into a rail of their own, before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                val names = new Rail[String](64);
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
                val lengths = new Rail[Int](64);
                clocked finish for (thread in 0n..63n) clocked async {
                    lengths(thread) = thread;
                    out(block * 64n + thread) = lengths(thread);
                }
            }
        }
    }
}
"##,
};

/// Elements have no device representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElementType {
    /// Their type.
    pub ty: Ty,
    /// Whether the rail is captured, rather than made by the kernel.
    pub is_captured: bool,
    /// For a struct: the object it refers to.
    pub reference: Option<ObjectReference>,
}

impl Render for ElementType {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let shown = cx.show_base(self.ty);
        let message = match self.is_captured {
            true => format!("a kernel cannot use elements of type `{shown}`"),
            false => format!("a kernel cannot keep elements of type `{shown}`"),
        };
        let diagnostic = RULE.at(range, message).note("device memory holds numbers, `Boolean`, `Char`, and structs of these; references to objects of the host mean nothing there");
        self.reference.iter().map(|it| it.note(cx)).fold(diagnostic, Diagnostic::note)
    }
}
