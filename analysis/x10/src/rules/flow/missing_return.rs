//! `flow/missing-return`

use crate::diagnostics::{Rule, Severity};

/// A method or closure with a result that can end without one.
pub static RULE: Rule = Rule {
    code: "flow/missing-return",
    severity: Severity::Error,
    summary: "A method or closure with a result that can end without one.",
    explanation: r##"
A method whose result type is not `void` must deliver a value on every path that reaches its end. The same holds for
closures and for `at` expressions, whose block may also end in an expression, its value.

End every path by `return` with a value, or by `throw`.
"##,
    failing: r##"
class Example {
    static def sign(number:Long):Long {
        if (number < 0) return -1;
        if (number > 0) return 1;
    }
}
"##,
    fixed: r##"
class Example {
    static def sign(number:Long):Long {
        if (number < 0) return -1;
        if (number > 0) return 1;
        return 0;
    }
}
"##,
};
