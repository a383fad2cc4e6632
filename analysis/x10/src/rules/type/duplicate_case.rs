//! `type/duplicate-case`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `switch` with two cases of one value.
pub static RULE: Rule = Rule {
    code: "type/duplicate-case",
    severity: Severity::Error,
    summary: "A `switch` with two cases of one value.",
    explanation: r##"
Each value, and `default`, has one case: the statements of the second would never be reached.

Remove one of the two, or give it another value.
"##,
    failing: r##"
class Example {
    static def name(number:Long):String {
        switch (number) {
            case 1: return "one";
            case 1: return "two";
            default: return "many";
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def name(number:Long):String {
        switch (number) {
            case 1: return "one";
            case 2: return "two";
            default: return "many";
        }
    }
}
"##,
};

/// A second case for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateCase {
    /// It is the `default`.
    pub is_default: bool,
}

impl Render for DuplicateCase {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let case = if self.is_default { "`default`" } else { "this value" };
        RULE.at(range, format!("{case} already has a case in this `switch`"))
    }
}
