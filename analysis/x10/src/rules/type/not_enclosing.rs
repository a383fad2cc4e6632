//! `type/not-enclosing`

use crate::diagnostics::{Rule, Severity};

/// A class whose `this` or superclass is not at hand.
pub static RULE: Rule = Rule {
    code: "type/not-enclosing",
    severity: Severity::Error,
    summary: "A class whose `this` or superclass is not at hand.",
    explanation: r##"
`C.this` is the object of a class around the code, and `super` selects from the superclass; a class that extends nothing has none.
"##,
    failing: r##"
class Other {
    var count:Long = 0;
}
class Example {
    def count():Long = Other.this.count;
}
"##,
    fixed: r##"
class Other {
    var count:Long = 0;
}
class Example {
    val other = new Other();
    def count():Long = other.count;
}
"##,
};
