//! `flow/unreachable`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement that no path reaches.
pub static RULE: Rule = Rule {
    code: "flow/unreachable",
    severity: Severity::Error,
    summary: "A statement that no path reaches.",
    explanation: r##"
All paths that lead to the statement return, throw, jump elsewhere, or loop for ever. Such code is a mistake:
either it is left over, or an earlier `return` or `break` is not where it was meant to be.

Remove the statement, or fix the path before it.
"##,
    failing: r##"
class Example {
    static def twice(number:Long):Long {
        return 2 * number;
        Console.OUT.println(number);
    }
}
"##,
    fixed: r##"
class Example {
    static def twice(number:Long):Long {
        Console.OUT.println(number);
        return 2 * number;
    }
}
"##,
};

/// A statement that no path reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable;

impl Render for Unreachable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this statement can never be reached").note(
            "every path before it returns, throws, jumps away or loops for ever: remove it, or fix the path",
        )
    }
}
