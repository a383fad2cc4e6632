//! `type/not-implemented`

use crate::diagnostics::{Rule, Severity};

/// A class that lacks a method it promises.
pub static RULE: Rule = Rule {
    code: "type/not-implemented",
    severity: Severity::Error,
    summary: "A class that lacks a method it promises.",
    explanation: r##"
A class that is not abstract, and every struct, has an implementation of each abstract method that it inherits from its
superclass and its interfaces. Write the method, or declare the class abstract.
"##,
    failing: r##"
interface Shape {
    def area():Long;
}
class Square implements Shape {
    val side:Long = 1;
}
"##,
    fixed: r##"
interface Shape {
    def area():Long;
}
class Square implements Shape {
    val side:Long = 1;
    public def area():Long = side * side;
}
"##,
};
