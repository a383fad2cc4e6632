//! `type/endless-property`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A property whose type is no simpler than its class.
pub static RULE: Rule = Rule {
    code: "type/endless-property",
    severity: Severity::Error,
    summary: "A property whose type is no simpler than its class.",
    explanation: r##"
The properties of an object have their values before anything else of it exists. So a property cannot have the type of its own class, nor
of a class that leads back to it through properties or superclasses. What refers to other objects of the class is a field.
"##,
    failing: r##"
class Node(value:Long, next:Node) {}
"##,
    fixed: r##"
class Node(value:Long) {
    var next:Node;
}
"##,
};

/// A property whose class leads back to the class that declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndlessProperty {
    /// The property.
    pub property: FieldId,
}

impl Render for EndlessProperty {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, class) = (self.property.name(cx.db), self.property.class(cx.db).name(cx.db));
        RULE.at(range, format!("the property `{name}` leads back to `{class}`")).note(
            "an object could only be made after another one of its class: make it a field, which may be `null`",
        )
    }
}
