//! `type/constructor-call`

use crate::diagnostics::{Rule, Severity};

/// A constructor call that completes no object.
pub static RULE: Rule = Rule {
    code: "type/constructor-call",
    severity: Severity::Error,
    summary: "A constructor call that completes no object.",
    explanation: r##"
`this(...)`, `super(...)` and `property(...)` complete the object that is being made; they are statements of a constructor, and not of the closures and
activities in it. Constructors that call each other in a circle complete none.
"##,
    failing: r##"
class Example(size:Long) {
    def this(size:Long) {
        property(size);
    }
    def grow() {
        property(2);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    def this(size:Long) {
        property(size);
    }
    def grow() = new Example(2);
}
"##,
};
