//! `flow/negative-size`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A rail of a negative number of elements.
pub static RULE: Rule = Rule {
    code: "flow/negative-size",
    severity: Severity::Warning,
    summary: "A rail of a negative number of elements.",
    explanation: r##"
`new Rail[T](n)` makes `n` elements. Where `n` is negative, a `NegativeArraySizeException` is raised when the program gets there.

Write the number of elements; a rail without any is `new Rail[T](0)`.
"##,
    failing: r##"
class Example {
    static def none() = new Rail[Long](-1);
}
"##,
    fixed: r##"
class Example {
    static def none() = new Rail[Long](0);
}
"##,
};

/// A rail is made with a constant size below zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegativeSize {
    /// The size.
    pub count: i64,
}

impl Render for NegativeSize {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, format!("a rail cannot have {} elements", self.count))
            .note("a NegativeArraySizeException is raised here when the program runs")
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    #[test]
    fn constant_size_below_zero() {
        check(&RULE, "class A { def f() = new Rail[Long]($02 - 3$0); }", "a rail cannot have -1 elements");
    }

    #[test]
    fn size_of_unknown_value() {
        check_none(&RULE, "class A { def f(n:Long) = new Rail[Long](n - 3); }");
    }
}
