//! `flow/call-in-construction`

use crate::diagnostics::{Rule, Severity};

/// A method that is called before its object is constructed, and may be another one than it seems.
pub static RULE: Rule = Rule {
    code: "flow/call-in-construction",
    severity: Severity::Error,
    summary: "A method that is called before its object is constructed, and may be another one than it seems.",
    explanation: r##"
A constructor or field initialiser may call a method of its object only if that method is known: it belongs to the same class and
is `private` or `final` (or the class is). A subclass could override any other, and would see fields that have no values
yet. Of inherited methods only those marked `@NonEscaping` can be called, or `@NoThisAccess` for methods that do not use
`this` at all and may therefore be overridden (X10 2.6, "Constructors and Non-Escaping Methods").
"##,
    failing: r##"
class Example {
    val size:Long;
    def this() {
        size = initialSize();
    }
    def initialSize() = 10;
}
"##,
    fixed: r##"
class Example {
    val size:Long;
    def this() {
        size = initialSize();
    }
    private def initialSize() = 10;
}
"##,
};
