//! `type/wrong-type-arguments`

use crate::diagnostics::{Rule, Severity};

/// A type with the wrong number of type arguments.
pub static RULE: Rule = Rule {
    code: "type/wrong-type-arguments",
    severity: Severity::Error,
    summary: "A type with the wrong number of type arguments.",
    explanation: r##"
A generic type is used with one type for each of its parameters: `Rail[Long]`. A type without parameters takes
none. Only after `new`, and before the name of a static member, may the arguments of a generic class be left out.
"##,
    failing: r##"
class Example {
    static def first(list:Rail):Long = 1;
}
"##,
    fixed: r##"
class Example {
    static def first(list:Rail[Long]):Long = 1;
}
"##,
};
