//! `type/missing-type`

use crate::diagnostics::{Rule, Severity};

/// Nothing says what type this is.
pub static RULE: Rule = Rule {
    code: "type/missing-type",
    severity: Severity::Error,
    summary: "Nothing says what type this is.",
    explanation: r##"
A variable without an initialiser needs a type; so does the empty rail `[]`, whose elements say nothing.
"##,
    failing: r##"
class Example {
    static def nothing() {
        val none = [];
        Console.OUT.println(none.size);
    }
}
"##,
    fixed: r##"
class Example {
    static def nothing() {
        val none = new Rail[Long](0);
        Console.OUT.println(none.size);
    }
}
"##,
};
