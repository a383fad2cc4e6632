//! `type/not-assignable`

use crate::diagnostics::{Rule, Severity};

/// An assignment to what is no variable.
pub static RULE: Rule = Rule {
    code: "type/not-assignable",
    severity: Severity::Error,
    summary: "An assignment to what is no variable.",
    explanation: r##"
Left of `=`, of `+=` and its like, and beside `++` and `--` stands a local variable, a field, or an element `a(i)` of an object whose class
declares `operator this(...) = (...)`. The value of a call or operator has no place to put anything.
"##,
    failing: r##"
class Example {
    static def capital(text:String) {
        text(0n) = 'A';
    }
}
"##,
    fixed: r##"
class Example {
    static def capital(text:Rail[Char]) {
        text(0) = 'A';
    }
}
"##,
};
