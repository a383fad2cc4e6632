//! `flow/unused-value`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A statement that computes a value and does nothing with it.
pub static RULE: Rule = Rule {
    code: "flow/unused-value",
    severity: Severity::Warning,
    summary: "A statement that computes a value and does nothing with it.",
    explanation: r##"
X10 takes any expression as a statement. An expression that is no assignment, no call and no `new`, such as a variable, a comparison or a sum, changes
nothing, and is seldom what was meant: `==` stands where `=` should, a call lacks its parentheses, or `return` is missing. Where the value
itself is missing, as at the end of a method or closure that must return one, it is an error.

Assign the value, return it, pass it on, or remove the statement. Operators that have no meaning but the one a class gives them, such as
`sum <- 3`, may do something and can stand alone.
"##,
    failing: r##"
class Counter {
    var count:Long = 0;
    def reset() { count == 0; }
}
"##,
    fixed: r##"
class Counter {
    var count:Long = 0;
    def reset() { count = 0; }
}
"##,
};

/// A value that nothing is done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnusedValue {
    /// A comparison by `==` is a statement.
    Comparison {
        /// The `==`.
        operator: TextRange,
    },
    /// Another value is a statement.
    Statement,
    /// The value is the last statement of a method that has to return one.
    LastOfMethod,
}

impl Render for UnusedValue {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let diagnostic = RULE.at(range, "nothing is done with this value");
        match self {
            UnusedValue::Comparison { operator } => {
                diagnostic.note("`==` compares, `=` assigns").fix(Fix::replace("Write `=`", *operator, "="))
            }
            UnusedValue::Statement => {
                diagnostic.note("assign it, return it, pass it on or remove it: by itself it changes nothing")
            }
            UnusedValue::LastOfMethod => diagnostic.note("a value is returned by `return`").fix(Fix::insert(
                "Write `return`",
                range.start(),
                "return ",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_fix, check_none};

    #[test]
    fn comparison_becomes_assignment() {
        check_fix(
            &RULE,
            "class Counter { var n:Long = 0; def reset() { n == 0; } }",
            "class Counter { var n:Long = 0; def reset() { n = 0; } }",
        );
    }

    #[test]
    fn last_value_of_a_method_is_returned() {
        check(&RULE, "class A { def twice(n:Long):Long { $0n * 2$0; } }", "nothing is done with this value");
        check_fix(
            &RULE,
            "class A { def twice(n:Long):Long { n * 2; } }",
            "class A { def twice(n:Long):Long { return n * 2; } }",
        );
    }

    #[test]
    fn operator_without_usual_meaning_may_act() {
        check_none(&RULE, "class A { operator this <- (n:Long):void {} def add() { this <- 3; } }");
    }
}
