//! `flow/field-not-assigned`

use crate::diagnostics::{Rule, Severity};

/// A constructor that can end without assigning a field.
pub static RULE: Rule = Rule {
    code: "flow/field-not-assigned",
    severity: Severity::Error,
    summary: "A constructor that can end without assigning a field.",
    explanation: r##"
Every field without an initialiser must be assigned on every path through every constructor, and a class with
properties must set them by `property(...)`: an object is complete when its constructor ends. A constructor that
starts with `this(...)` leaves that to the constructor it calls.

Assign the field on the path that lacks it, or give it an initialiser where it is declared.
"##,
    failing: r##"
class Example {
    val limit:Long;
    def this(wanted:Long) {
        if (wanted > 0) limit = wanted;
    }
}
"##,
    fixed: r##"
class Example {
    val limit:Long;
    def this(wanted:Long) {
        if (wanted > 0) limit = wanted;
        else limit = 0;
    }
}
"##,
};
