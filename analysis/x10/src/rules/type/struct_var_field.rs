//! `type/struct-var-field`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A struct with a field that can change.
pub static RULE: Rule = Rule {
    code: "type/struct-var-field",
    severity: Severity::Error,
    summary: "A struct with a field that can change.",
    explanation: r##"
A struct is a value: it is copied wherever it goes, into arguments, elements of rails and other places. A change of one copy
would be lost in the others, so the fields of a struct are all `val`. Make a changed struct instead, or use a class.
"##,
    failing: r##"
struct Counter {
    var count:Long = 0;
}
"##,
    fixed: r##"
struct Counter(count:Long) {
    def next():Counter = Counter(count + 1);
}
"##,
};

/// A mutable field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructVarField {
    /// The field.
    pub field: FieldId,
}

impl Render for StructVarField {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (class, name) = (self.field.class(cx.db).name(cx.db), self.field.name(cx.db));
        RULE.at(range, format!("`{class}` is a struct, so its field `{name}` cannot be a `var`"))
            .note("make it a `val`, and a new struct for a new value; or make this a class")
    }
}
