//! `flow/negative-size`

use crate::diagnostics::{Rule, Severity};

/// A rail of a negative number of elements.
pub static RULE: Rule = Rule {
    code: "flow/negative-size",
    severity: Severity::Warning,
    summary: "A rail of a negative number of elements.",
    explanation: r##"
`new Rail[T](n)` makes `n` elements. Where `n` is negative, a `NegativeArraySizeException` is raised when the program gets there.

Write the number of elements; a rail without any is `new Rail[T](0)`.
"##,
    failing: r##"
class Example {
    static def none() = new Rail[Long](-1);
}
"##,
    mended: r##"
class Example {
    static def none() = new Rail[Long](0);
}
"##,
};
