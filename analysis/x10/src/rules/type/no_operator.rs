//! `type/no-operator`

use crate::diagnostics::{Rule, Severity};

/// An operator that does not take these operands.
pub static RULE: Rule = Rule {
    code: "type/no-operator",
    severity: Severity::Error,
    summary: "An operator that does not take these operands.",
    explanation: r##"
An operator is a method of the class of one of its operands, or a static one of either class. `a + b` looks for `operator this + (...)` in the
class of `a`, for `operator (...) + this` in that of `b`, and for static operators in both; if none fits, one operand may be converted
implicitly to the type of the other. `+` with a `String` on either side concatenates.

Convert an operand with `as`, or declare the operator.
"##,
    failing: r##"
class Example {
    static def half(flag:Boolean) = flag / 2;
}
"##,
    fixed: r##"
class Example {
    static def half(number:Long) = number / 2;
}
"##,
};
