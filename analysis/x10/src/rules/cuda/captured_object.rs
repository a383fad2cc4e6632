//! `cuda/captured-object`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::{CONSTANT_RAIL_NOTE, ObjectReference};
use crate::ty::Ty;

/// A captured value that cannot travel to a device.
pub static RULE: Rule = Rule {
    code: "cuda/captured-object",
    severity: Severity::Error,
    summary: "A captured value that cannot travel to a device.",
    explanation: r##"
What travels are numbers, plain structs of them, and rails of these. Objects, strings and function values
are made of references into the memory of the host.

Take what the kernel needs of it into `val`s before the `at`.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Settings {
    val scale:Float = 2.0f;
}

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, settings:Settings) {
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    val all = settings;
                    out(block * 64n + thread) = thread;
                }
            }
        }
    }
}
"##,
    fixed: r##"
import x10.compiler.CUDA;

class Settings {
    val scale:Float = 2.0f;
}

class Example {
    static def run(p:Place, out:GlobalRail[Float]{self.home() == p}, settings:Settings) {
        val scale = settings.scale;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = scale;
                }
            }
        }
    }
}
"##,
};

/// A kernel captures an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedObject {
    /// The variable.
    pub local: LocalId,
    /// Its type.
    pub ty: Ty,
    /// Whether it is constant memory.
    pub is_constant_rail: bool,
    /// For a struct: the object it refers to.
    pub reference: Option<ObjectReference>,
}

impl Render for CapturedObject {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        let message = format!("`{name}` of type `{}` cannot travel to a device", cx.show_base(self.ty));
        let diagnostic = RULE.at(range, message).note(match self.is_constant_rail {
            true => CONSTANT_RAIL_NOTE,
            false => "a device gets numbers, plain structs, and rails of these: take what the kernel needs of it into `val`s before the `at`",
        });
        let reference = self.reference.iter().map(|it| it.note(cx));
        reference.fold(diagnostic, Diagnostic::note).related(cx.declaration(self.local))
    }
}
