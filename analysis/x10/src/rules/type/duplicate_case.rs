//! `type/duplicate-case`

use crate::diagnostics::{Rule, Severity};

/// A `switch` with two cases of one value.
pub static RULE: Rule = Rule {
    code: "type/duplicate-case",
    severity: Severity::Error,
    summary: "A `switch` with two cases of one value.",
    explanation: r##"
Each value, and `default`, has one case: the statements of the second would never be reached.

Remove one of the two, or give it another value.
"##,
    failing: r##"
class Example {
    static def name(number:Long):String {
        switch (number) {
            case 1: return "one";
            case 1: return "two";
            default: return "many";
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def name(number:Long):String {
        switch (number) {
            case 1: return "one";
            case 2: return "two";
            default: return "many";
        }
    }
}
"##,
};
