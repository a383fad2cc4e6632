//! `type/not-a-value`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// The name of a type or package where a value is needed.
pub static RULE: Rule = Rule {
    code: "type/not-a-value",
    severity: Severity::Error,
    summary: "The name of a type or package where a value is needed.",
    explanation: r##"
The name of a class stands before `.` to select a static member, after `new`, and after `:` and `as`. By itself it is no value; nor is a package.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        val place = Place;
        Console.OUT.println(place);
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        val place = here;
        Console.OUT.println(place);
    }
}
"##,
};

/// A type or package where a value is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAValue;

impl Render for NotAValue {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this names a type or a package, and a value is needed here")
            .note("select a static member from it, or create an object with `new`")
    }
}
