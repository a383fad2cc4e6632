//! `type/not-constant`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A `case` whose value is not a constant.
pub static RULE: Rule = Rule {
    code: "type/not-constant",
    severity: Severity::Error,
    summary: "A `case` whose value is not a constant.",
    explanation: r##"
The values of a `switch` are compared with constants: literals, `val`s (static ones and local ones) whose value is constant, and what
the operators of integers and strings make of them.

Use `if` and `else if` to compare with other values.
"##,
    failing: r##"
class Example {
    static def isBest(score:Long, best:Long):Boolean {
        switch (score) {
            case best: return true;
            default: return false;
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def isBest(score:Long, best:Long):Boolean {
        return score == best;
    }
}
"##,
};

/// A `case` whose value is no constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotConstant;

impl Render for NotConstant {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "the value of a `case` must be a constant")
            .note("write a literal, or a `val` with a constant value; else use `if`")
    }
}
