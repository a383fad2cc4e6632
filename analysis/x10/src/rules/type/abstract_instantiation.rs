//! `type/abstract-instantiation`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};

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

/// An object of a class that has no objects of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractInstantiation {
    /// The class.
    pub class: ClassId,
    /// `abstract` or `an interface`.
    pub kind: &'static str,
}

impl Render for AbstractInstantiation {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (name, kind) = (self.class.name(cx.db), self.kind);
        RULE.at(range, format!("`{name}` is {kind}, so no object of just that class can be made"))
            .note("create an object of a class that extends or implements it")
    }
}
