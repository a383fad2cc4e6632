//! `type/endless-property`

use crate::diagnostics::{Rule, Severity};

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
