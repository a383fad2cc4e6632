//! `type/endless-struct`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::FieldId;
use crate::rules::render::{Render, RenderContext};

/// A struct that would contain itself.
pub static RULE: Rule = Rule {
    code: "type/endless-struct",
    severity: Severity::Error,
    summary: "A struct that would contain itself.",
    explanation: r##"
A struct holds its fields themselves, not references to them. A struct that contains a struct of its own kind, directly or through other
structs, would have no end.
"##,
    failing: r##"
struct Node {
    val value:Long;
    val next:Node;
    def this(value:Long, next:Node) {
        this.value = value;
        this.next = next;
    }
}
"##,
    fixed: r##"
class Node {
    val value:Long;
    val next:Node;
    def this(value:Long, next:Node) {
        this.value = value;
        this.next = next;
    }
}
"##,
};

/// A struct that contains a value of its own type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndlessStruct {
    /// The field through which it does.
    pub field: FieldId,
}

impl Render for EndlessStruct {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, class) = (self.field.name(cx.db), self.field.class(cx.db).name(cx.db));
        RULE.at(range, format!("`{class}` would contain itself through `{name}`")).note(
            "a struct holds its fields, not references to them: use a class, or keep the value in a `Rail` or `Cell`",
        )
    }
}
