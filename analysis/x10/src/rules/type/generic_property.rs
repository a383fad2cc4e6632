//! `type/generic-property`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A property whose type is a type parameter.
pub static RULE: Rule = Rule {
    code: "type/generic-property",
    severity: Severity::Error,
    summary: "A property whose type is a type parameter.",
    explanation: r##"
Properties are what constraints speak of. Of a value whose type is a type parameter nothing is known, not even whether it is a struct or
an object, so that a constraint could say nothing of it. Make it a `val` field, which a constructor sets.
"##,
    failing: r##"
class Box[T](value:T) {}
"##,
    fixed: r##"
class Box[T] {
    val value:T;
    def this(value:T) { this.value = value; }
}
"##,
};

/// A property whose type is a type parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericProperty {
    /// The property.
    pub property: FieldId,
}

impl Render for GenericProperty {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = self.property.name(cx.db);
        RULE.at(range, format!("the type of the property `{name}` is a type parameter"))
            .note("constraints speak of properties, and know nothing of such a value: make it a `val` field")
    }
}
