//! `constraint/inconsistent`

use crate::diagnostics::{Rule, Severity};

/// A constraint that no value can meet.
pub static RULE: Rule = Rule {
    code: "constraint/inconsistent",
    severity: Severity::Error,
    summary: "A constraint that no value can meet.",
    explanation: r##"
The terms of a constraint, with the conditions of the class that it constrains, contradict each other: `Long{self == 1, self == 2}` has no values, and a
method whose condition is never met can never be called.

Take one of the terms away.
"##,
    failing: r##"
class Example {
    static def never(n:Long{self == 1, self == 2}):Long = n;
}
"##,
    fixed: r##"
class Example {
    static def sometimes(n:Long{self == 1}):Long = n;
}
"##,
};
