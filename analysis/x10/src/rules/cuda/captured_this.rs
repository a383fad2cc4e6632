//! `cuda/captured-this`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A field or method of `this` used in a kernel.
pub static RULE: Rule = Rule {
    code: "cuda/captured-this",
    severity: Severity::Error,
    summary: "A field or method of `this` used in a kernel.",
    explanation: r##"
A field without anything before it is read through `this`, so the whole object would have to travel to the
device. It stays on the host.

Copy the field into a `val` before the `at`, and use that.
"##,
    failing: r##"
import x10.compiler.CUDA;

class Example {
    val scale:Float = 2.0f;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
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
    fixed: r##"
import x10.compiler.CUDA;

class Example {
    val scale:Float = 2.0f;

    def run(p:Place, out:GlobalRail[Float]{self.home() == p}) {
        val factor = scale;
        finish async at (p) @CUDA {
            finish for (block in 0n..7n) async {
                clocked finish for (thread in 0n..63n) clocked async {
                    out(block * 64n + thread) = factor;
                }
            }
        }
    }
}
"##,
};

/// A kernel uses `this`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CapturedThis {
    /// As a value.
    Value,
    /// To read a field.
    FieldRead(FieldId),
    /// To write a field.
    FieldWrite(FieldId),
}

impl Render for CapturedThis {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let of_field =
            |field: FieldId| format!("a kernel cannot use the field `{}` of `this`", field.name(cx.db));
        match *self {
            CapturedThis::Value => RULE.at(range, "a kernel cannot use `this`").note(
                "the object lives on the host: copy what the kernel needs of it into `val`s before the `at`",
            ),
            CapturedThis::FieldRead(field) => RULE
                .at(range, of_field(field))
                .note("the object lives on the host: copy the field into a `val` before the `at`"),
            CapturedThis::FieldWrite(field) => RULE
                .at(range, of_field(field))
                .note("the object lives on the host: write an element of a `GlobalRail`, and set the field from it after the kernel"),
        }
    }
}
