//! `type/void-value`

use crate::diagnostics::{Rule, Severity};

/// A value of type `void`.
pub static RULE: Rule = Rule {
    code: "type/void-value",
    severity: Severity::Error,
    summary: "A value of type `void`.",
    explanation: r##"
`void` says that a method or function has no result. No variable, formal or type argument can be of that type, and a
call without a result can only stand as a statement.
"##,
    failing: r##"
class Example {
    static def keep(x:void):Long = 1;
}
"##,
    fixed: r##"
class Example {
    static def keep():Long = 1;
}
"##,
};
