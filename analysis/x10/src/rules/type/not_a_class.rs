//! `type/not-a-class`

use crate::diagnostics::{Rule, Severity};

/// A class is needed, and something else is named.
pub static RULE: Rule = Rule {
    code: "type/not-a-class",
    severity: Severity::Error,
    summary: "A class is needed, and something else is named.",
    explanation: r##"
Objects are made of classes and structs. A function type, a type parameter and `void` have no constructors.
"##,
    failing: r##"
class Example {
    static type Action = ()=>void;
    static def make() {
        val action = new Action();
    }
}
"##,
    fixed: r##"
class Example {
    static type Action = ()=>void;
    static def make() {
        val action:Action = () => {};
    }
}
"##,
};
