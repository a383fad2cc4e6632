//! `type/no-body`

use crate::diagnostics::{Rule, Severity};

/// A method without code, or with code that it must not have.
pub static RULE: Rule = Rule {
    code: "type/no-body",
    severity: Severity::Error,
    summary: "A method without code, or with code that it must not have.",
    explanation: r##"
A method has a body unless it is `abstract` or `native` or belongs to an interface; one that is has none. An abstract
method can only be declared by an abstract class or an interface.
"##,
    failing: r##"
class Example {
    def area():Long;
}
"##,
    fixed: r##"
abstract class Example {
    abstract def area():Long;
}
"##,
};
