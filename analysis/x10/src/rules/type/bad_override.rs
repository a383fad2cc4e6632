//! `type/bad-override`

use crate::diagnostics::{Rule, Severity};

/// A method that does not fit the method that it overrides.
pub static RULE: Rule = Rule {
    code: "type/bad-override",
    severity: Severity::Error,
    summary: "A method that does not fit the method that it overrides.",
    explanation: r##"
A method that overrides another stands for it wherever the other is called. So its result is a subtype of the other's,
it can be seen at least as far, it is static only if the other is, and the other is not `final`.

Constraints count: `Long` is no subtype of `Long{self!=0}`. Formals have the same constraints, for methods whose formals differ in
constraints alone are neither one method nor two.
"##,
    failing: r##"
class Shape {
    public def area():Long = 0;
}
class Square extends Shape {
    public def area():String = "large";
}
"##,
    fixed: r##"
class Shape {
    public def area():Long = 0;
}
class Square extends Shape {
    public def area():Long = 1;
}
"##,
};
