//! `type/generic-property`

use crate::diagnostics::{Rule, Severity};

/// A property whose type is a type parameter.
pub static RULE: Rule = Rule {
    code: "type/generic-property",
    severity: Severity::Error,
    summary: "A property whose type is a type parameter.",
    explanation: r##"
Properties are what constraints speak of. Of a value whose type is a type parameter nothing is known, not even whether it is a struct or
an object, so that a constraint could say nothing of it. Make it a `val` field, which a constructor sets.
"##,
    failing: r##"
class Box[T](value:T) {}
"##,
    fixed: r##"
class Box[T] {
    val value:T;
    def this(value:T) { this.value = value; }
}
"##,
};
