//! `type/incomparable`

use crate::diagnostics::{Rule, Severity};

/// A comparison of values that are never equal.
pub static RULE: Rule = Rule {
    code: "type/incomparable",
    severity: Severity::Error,
    summary: "A comparison of values that are never equal.",
    explanation: r##"
`==` compares references by identity and structs by their fields. It converts nothing, not even
an `Int` to a `Long`; so values of unrelated types are never equal, and comparing them is a mistake.

Convert one side, or compare both `as Any`.
"##,
    failing: r##"
class Example {
    static def isOne(text:String) = text == 1;
}
"##,
    fixed: r##"
class Example {
    static def isOne(text:String) = Long.parse(text) == 1;
}
"##,
};
