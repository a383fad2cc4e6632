//! `type/impossible-cast`

use crate::diagnostics::{Rule, Severity};

/// A cast or test that can never succeed.
pub static RULE: Rule = Rule {
    code: "type/impossible-cast",
    severity: Severity::Error,
    summary: "A cast or test that can never succeed.",
    explanation: r##"
`e as T` and `e instanceof T` ask whether the value is of type `T` while the program runs. That is in vain if no value of the type of `e` can be one:
structs have no subtypes, and two classes have a common instance only if one extends the other.

Between numbers and other structs `as` calls a conversion operator, if one is declared.
"##,
    failing: r##"
class Example {
    static def number(text:String) = text as Long;
}
"##,
    fixed: r##"
class Example {
    static def number(text:String) = Long.parse(text);
}
"##,
};
