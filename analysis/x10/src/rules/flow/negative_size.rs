//! `flow/negative-size`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::rules::values::{Amount, Occasion};

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

/// A rail is made with a size below zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NegativeSize {
    /// The size.
    pub count: Amount,
    /// When.
    pub occasion: Occasion,
}

impl Render for NegativeSize {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (count, occasion) = (self.count.show(cx), self.occasion.show(cx));
        RULE.at(range, format!("a rail cannot have {count} elements{occasion}"))
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
    fn size_below_zero_on_every_path() {
        let text = "class A { def f(n:Long) { if (n >= 0) return null; return new Rail[Long]($0n$0); } }";
        check(&RULE, text, "a rail cannot have at most -1 elements");
    }

    #[test]
    fn size_below_zero_in_the_first_iteration() {
        let text =
            "class A { def f() { for (i in 0..3) { val r = new Rail[Long]($0i - 1$0); r.clear(); } } }";
        check(&RULE, text, "a rail cannot have -1 elements in the first iteration, where `i` is 0");
    }

    #[test]
    fn size_of_unknown_value() {
        check_none(&RULE, "class A { def f(n:Long) = new Rail[Long](n - 3); }");
    }
}
