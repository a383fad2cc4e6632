//! `type/recursive-result`

use crate::diagnostics::{Rule, Severity};

/// A result type that is inferred from itself.
pub static RULE: Rule = Rule {
    code: "type/recursive-result",
    severity: Severity::Error,
    summary: "A result type that is inferred from itself.",
    explanation: r##"
Without a declared result type, the code of a method says what it delivers. If all that it delivers comes from calls of the method itself,
directly or through others that declare no result either, nothing says where to begin.

Declare the result type of one of them.
"##,
    failing: r##"
class Example {
    static def last(n:Long) = last(n - 1);
}
"##,
    fixed: r##"
class Example {
    static def last(n:Long):Long = last(n - 1);
}
"##,
};
