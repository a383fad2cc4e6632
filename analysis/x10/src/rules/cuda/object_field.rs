//! `cuda/object-field`

use apg_syntax::TextRange;

use crate::diagnostics::article;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A field of an object read in the code of a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/object-field",
    severity: Severity::Error,
    summary: "A field of an object read in the code of a kernel.",
    explanation: r##"
The object lives in the memory of the host, which a device does not read.

Read the field into a `val` before the `at`.
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
                    out(block * 64n + thread) = settings.scale;
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

/// A thread accesses a field of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectField {
    /// The field.
    pub field: FieldId,
    /// The type of the object.
    pub ty: Ty,
    /// Whether it is written.
    pub is_write: bool,
    /// Whether the code is that of a `@CUDA` function.
    pub in_function: bool,
}

impl Render for ObjectField {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let shown = cx.show_base(self.ty);
        let does = if self.is_write { "write" } else { "read" };
        let name = self.field.name(cx.db);
        RULE.at(range, format!("a thread cannot {does} the field `{name}` of {}", article(&shown))).note(
            match (self.is_write, self.in_function) {
                (true, _) => "the object lives on the host: write an element of a `GlobalRail`, and set the field from it after the kernel",
                (false, true) => "the object lives on the host: take the field's value as a parameter",
                (false, false) => "the object lives on the host: read the field into a `val` before the `at`",
            },
        )
    }
}
