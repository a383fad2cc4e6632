//! `flow/missing-return`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A method or closure with a result that can end without one.
pub static RULE: Rule = Rule {
    code: "flow/missing-return",
    severity: Severity::Error,
    summary: "A method or closure with a result that can end without one.",
    explanation: r##"
A method whose result type is not `void` must deliver a value on every path that reaches its end. The same holds for
closures and for `at` expressions, whose block may also end in an expression, its value.

End every path by `return` with a value, or by `throw`.
"##,
    failing: r##"
class Example {
    static def sign(number:Long):Long {
        if (number < 0) return -1;
        if (number > 0) return 1;
    }
}
"##,
    fixed: r##"
class Example {
    static def sign(number:Long):Long {
        if (number < 0) return -1;
        if (number > 0) return 1;
        return 0;
    }
}
"##,
};

/// The end of code that must deliver a value is reachable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingReturn {
    /// Of a method.
    Method {
        /// The trailing expression, if its value is unused.
        last_value: Option<TextRange>,
    },
    /// Of a closure or an `at` expression.
    Block,
}

impl Render for MissingReturn {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            MissingReturn::Method { last_value } => {
                let diagnostic = RULE
                    .at(range, "this method can end without returning a value")
                    .note("end every path by `return` with a value, or by `throw`");
                match last_value {
                    Some(value) => {
                        diagnostic.fix(Fix::insert("Return the last value", value.start(), "return "))
                    }
                    None => diagnostic,
                }
            }
            MissingReturn::Block => RULE
                .at(range, "the end of this block can be reached without delivering a value")
                .note("end it by an expression without `;`, or every path by `return` with a value"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check_fix, check_none};

    #[test]
    fn last_value_is_returned() {
        check_fix(
            &RULE,
            "class A { def f(n:Long):Long { twice(n); } def twice(n:Long) = 2 * n; }",
            "class A { def f(n:Long):Long { return twice(n); } def twice(n:Long) = 2 * n; }",
        );
    }

    #[test]
    fn endless_loop_needs_no_return() {
        check_none(&RULE, "class A { def f():Long { while (true) { } } }");
    }
}
