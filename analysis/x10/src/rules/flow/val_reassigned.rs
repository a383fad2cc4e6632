//! `flow/val-reassigned`

use crate::diagnostics::{Rule, Severity};

/// A `val` that is assigned although it may already have its value.
pub static RULE: Rule = Rule {
    code: "flow/val-reassigned",
    severity: Severity::Error,
    summary: "A `val` that is assigned although it may already have its value.",
    explanation: r##"
A `val` gets its value once: from its initialiser, or, if it has none, by one assignment on each path.
Formal parameters, loop variables and the variable of a `catch` are `val`s too. A `val` field is assigned only by a
constructor of its class.

Declare the variable `var` if it has to change, or use a second variable.
"##,
    failing: r##"
class Example {
    static def next(number:Long):Long {
        val result = number;
        result = number + 1;
        return result;
    }
}
"##,
    fixed: r##"
class Example {
    static def next(number:Long):Long {
        var result:Long = number;
        result = number + 1;
        return result;
    }
}
"##,
};
