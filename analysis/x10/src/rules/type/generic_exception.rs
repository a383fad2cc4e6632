//! `type/generic-exception`

use crate::diagnostics::{Rule, Severity};

/// An exception class with type parameters.
pub static RULE: Rule = Rule {
    code: "type/generic-exception",
    severity: Severity::Error,
    summary: "An exception class with type parameters.",
    explanation: r##"
A `catch` asks for the class of the exception, which is known when the program runs; type arguments are not part of that
question. So a class that extends `CheckedThrowable` has no type parameters.
"##,
    failing: r##"
class Failure[T] extends Exception {
}
"##,
    fixed: r##"
class Failure extends Exception {
}
"##,
};
