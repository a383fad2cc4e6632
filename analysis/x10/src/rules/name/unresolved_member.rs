//! `name/unresolved-member`

use crate::diagnostics::{Rule, Severity};

/// A member that the type does not have.
pub static RULE: Rule = Rule {
    code: "name/unresolved-member",
    severity: Severity::Error,
    summary: "A member that the type does not have.",
    explanation: r##"
A field, method or property selected from a value must be declared by the class, struct or interface of the value, or inherited by it.
After the name of a class only static members can be selected.

Usually the name is misspelt, or the value is of another type than it seems.
"##,
    failing: r##"
class Example {
    static def length(text:String):Int = text.lenght();
}
"##,
    fixed: r##"
class Example {
    static def length(text:String):Int = text.length();
}
"##,
};
