//! `flow/uncaught-exception`

use crate::diagnostics::{Rule, Severity};

/// A checked exception that nothing catches or declares.
pub static RULE: Rule = Rule {
    code: "flow/uncaught-exception",
    severity: Severity::Error,
    summary: "A checked exception that nothing catches or declares.",
    explanation: r##"
Exceptions that are neither `Exception`s nor `Error`s are *checked*: the subclasses of `CheckedThrowable` or `CheckedException` beside
those. What may throw one is inside a `try` that catches it, or in a method that declares it by `throws` (X10 2.6, "Throws Clause").
A closure cannot declare anything, so it catches them all. All exceptions of the class library are unchecked.
"##,
    failing: r##"
class Broken extends CheckedException {}

class Example {
    static def read() {
        throw new Broken();
    }
}
"##,
    fixed: r##"
class Broken extends CheckedException {}

class Example {
    static def read() throws Broken {
        throw new Broken();
    }
}
"##,
};
