//! `flow/unused-value`

use crate::diagnostics::{Rule, Severity};

/// A statement that computes a value and does nothing with it.
pub static RULE: Rule = Rule {
    code: "flow/unused-value",
    severity: Severity::Warning,
    summary: "A statement that computes a value and does nothing with it.",
    explanation: r##"
X10 takes any expression as a statement. One that is no assignment, no call and no `new`, such as a variable, a comparison or a sum, changes
nothing, and is seldom what was meant: `==` stands where `=` should, a call lacks its parentheses, or `return` is missing. Where the value
itself is missing, as at the end of a method or closure that must return one, it is an error.

Assign the value, return it, pass it on, or remove the statement. Operators that have no meaning but the one a class gives them, such as
`sum <- 3`, may do something and can stand alone.
"##,
    failing: r##"
class Counter {
    var count:Long = 0;
    def reset() { count == 0; }
}
"##,
    mended: r##"
class Counter {
    var count:Long = 0;
    def reset() { count = 0; }
}
"##,
};
