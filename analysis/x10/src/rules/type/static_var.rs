//! `type/static-var`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A static field that could change.
pub static RULE: Rule = Rule {
    code: "type/static-var",
    severity: Severity::Error,
    summary: "A static field that could change.",
    explanation: r##"
A static field is a `val`: each place has a copy of it, and a change at one place would not be seen at the others. A value that all share
lives at one place, in a `Cell` or an object that a `GlobalRef` refers to; one for each place in a `PlaceLocalHandle`.
"##,
    failing: r##"
class Example {
    static var count:Long = 0;
}
"##,
    fixed: r##"
class Example {
    static val count = new Cell[Long](0);
}
"##,
};

/// A static field declared as `var`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaticVar {
    /// A field of an interface, which is static without the modifier.
    InInterface(FieldId),
    /// A field with the modifier `static`.
    InClass(FieldId),
}

impl Render for StaticVar {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            StaticVar::InInterface(field) => RULE
                .at(range, format!("the field `{}` of an interface cannot be a `var`", field.name(cx.db)))
                .note("the fields of interfaces are static `val`s: declare methods that read and set it, or a property"),
            StaticVar::InClass(field) => RULE
                .at(range, format!("the static field `{}` cannot be a `var`", field.name(cx.db)))
                .note("make it a `val`, perhaps of a `Cell`; or a field of an object that is handed around"),
        }
    }
}
