//! `type/not-assignable`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity, article};
use crate::ids::FieldId;
use crate::item_tree::items::properties;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;
use crate::ty::known::Known;

/// An assignment to what is no variable.
pub static RULE: Rule = Rule {
    code: "type/not-assignable",
    severity: Severity::Error,
    summary: "An assignment to what is no variable.",
    explanation: r##"
Left of `=`, of `+=` and its like, and beside `++` and `--` stands a local variable, a field, or an element `a(i)` of an object whose class
declares `operator this(...) = (...)`. The value of a call or operator has no place to put anything.
"##,
    failing: r##"
class Example {
    static def capital(text:String) {
        text(0n) = 'A';
    }
}
"##,
    fixed: r##"
class Example {
    static def capital(text:Rail[Char]) {
        text(0) = 'A';
    }
}
"##,
};

/// An assignment to what cannot be assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAssignable {
    /// To an element of a value whose elements stay as they are.
    Element {
        /// The type of the value.
        ty: Ty,
    },
    /// To a property.
    Property {
        /// The property.
        field: FieldId,
    },
    /// To an expression that is no variable.
    Expression,
}

impl Render for NotAssignable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            NotAssignable::Element { ty } => {
                let note = if ty.is_known(cx.db, Known::String) {
                    "a string never changes: make a new one, with `x10.util.StringBuilder` if in many steps"
                } else if cx.show(ty.base(cx.db)).starts_with("CUDAConstantRail") {
                    "constant memory is only read: results are written to a `GlobalRail`"
                } else {
                    "its class declares no `operator this(...) = (...)`"
                };
                RULE.at(range, format!("elements of {} cannot be assigned", article(&cx.show(*ty))))
                    .note(note)
            }
            NotAssignable::Property { field } => {
                let all = properties(cx.db, field.class(cx.db));
                let names: Vec<&str> = all.iter().map(|it| it.name(cx.db).as_str()).collect();
                RULE.at(range, format!("`{}` is a property, which is never assigned", field.name(cx.db))).note(
                    format!(
                        "a constructor sets all properties at once, `property({})`, and they stay as they are",
                        names.join(", ")
                    ),
                )
            }
            NotAssignable::Expression => {
                RULE.at(range, "only a variable, a field or an element `a(i)` can be assigned")
            }
        }
    }
}
