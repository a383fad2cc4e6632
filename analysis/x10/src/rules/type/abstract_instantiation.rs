//! `type/abstract-instantiation`

use crate::diagnostics::{Rule, Severity};

/// An object of an abstract class or an interface.
pub static RULE: Rule = Rule {
    code: "type/abstract-instantiation",
    severity: Severity::Error,
    summary: "An object of an abstract class or an interface.",
    explanation: r##"
An abstract class leaves methods open, and an interface has no code of its own: only classes that fill them in have objects.
"##,
    failing: r##"
abstract class Shape {
    abstract def area():Double;
}
class Example {
    static def make():Shape = new Shape();
}
"##,
    fixed: r##"
abstract class Shape {
    abstract def area():Double;
}
class Square extends Shape {
    def area():Double = 1.0;
}
class Example {
    static def make():Shape = new Square();
}
"##,
};
