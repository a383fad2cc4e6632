//! `type/endless-struct`

use crate::diagnostics::{Rule, Severity};

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
