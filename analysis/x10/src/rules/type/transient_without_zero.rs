//! `type/transient-without-zero`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};
use crate::signature::field_type;

/// A transient field whose type has no zero.
pub static RULE: Rule = Rule {
    code: "type/transient-without-zero",
    severity: Severity::Error,
    summary: "A transient field whose type has no zero.",
    explanation: r##"
A transient field is not copied when its object goes to another place: there it is zero, `false` or `null`. So its type must have
that value. `Long{self != 0}`, `Long{self == 3}` and a type parameter without `haszero` have none.

Or say what it holds there: `@TransientInitExpr(compute())` from `x10.compiler` is evaluated when the rest of the object has arrived.
"##,
    failing: r##"
class Example {
    transient val cached:Long{self == 3} = 3;
}
"##,
    fixed: r##"
class Example {
    transient val cached:Long = 3;
}
"##,
};

/// A transient field whose type has no zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransientWithoutZero {
    /// The field.
    pub field: FieldId,
}

impl Render for TransientWithoutZero {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, ty) = (self.field.name(cx.db), cx.show(field_type(cx.db, self.field)));
        RULE.at(range, format!("`{name}` is transient, and `{ty}` has no zero")).note(
            "a transient field is zero or `null` in a copy at another place: give it a type that has that value, or say with `@TransientInitExpr(value)` what it holds there",
        )
    }
}
