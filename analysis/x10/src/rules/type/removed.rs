//! `type/removed`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A construct of earlier versions of X10.
pub static RULE: Rule = Rule {
    code: "type/removed",
    severity: Severity::Error,
    summary: "A construct of earlier versions of X10.",
    explanation: r##"
X10 2.6 has no clocked variables and no operators as values. Earlier versions had them, and old programs may still use them.

The note of the message says how to write the same in X10 2.6.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        val plus = 1.operator+;
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        val plus = (n:Long) => 1 + n;
        Console.OUT.println(plus(2));
    }
}
"##,
};

/// A construct that X10 no longer has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// An operator as a value.
    OperatorValue,
    /// A clocked variable.
    ClockedVariable,
}

impl Render for Removed {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            Removed::OperatorValue => RULE
                .at(range, "an operator is no value")
                .note("write a closure that calls it, `(x:T) => a.operator+(x)`"),
            Removed::ClockedVariable => {
                RULE.at(range, "there are no clocked variables").note("use a `Clock` and a plain variable")
            }
        }
    }
}
