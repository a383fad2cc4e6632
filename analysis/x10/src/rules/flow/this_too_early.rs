//! `flow/this-too-early`

use crate::diagnostics::{Rule, Severity};

/// `this` is used before there is an object.
pub static RULE: Rule = Rule {
    code: "flow/this-too-early",
    severity: Severity::Error,
    summary: "`this` is used before there is an object.",
    explanation: r##"
A constructor starts with `this(...)` or `super(...)`, and one of a class with properties then sets them by `property(...)`. The
fields come after that: neither they nor any method that uses them can be used before (X10 2.6, "Fine Structure of
Constructors"). What leads to the properties' values is computed from the formals and in local variables.
"##,
    failing: r##"
class Example(size:Long) {
    var used:Long = 1;
    def this(wanted:Long) {
        property(wanted + used);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    var used:Long = 1;
    def this(wanted:Long) {
        property(wanted + 1);
    }
}
"##,
};
