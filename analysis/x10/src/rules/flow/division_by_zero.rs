//! `flow/division-by-zero`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::rules::values::{Occasion, with_origin};

/// A division of integers by zero.
pub static RULE: Rule = Rule {
    code: "flow/division-by-zero",
    severity: Severity::Warning,
    summary: "A division of integers by zero.",
    explanation: r##"
The divisor of this `/` or `%` is zero whenever the program gets there, or in one iteration of a loop that every run of the loop
reaches. Integers have no quotient by zero: an `ArithmeticException` is raised. (Floating-point numbers have one: infinity, or not a
number.)

Divide only where the divisor is not zero, or start counting at one.
"##,
    failing: r##"
class Example {
    static def sumOfParts(total:Long):Long {
        var sum:Long = 0;
        for (i in 0..9) sum += total / i;
        return sum;
    }
}
"##,
    fixed: r##"
class Example {
    static def sumOfParts(total:Long):Long {
        var sum:Long = 0;
        for (i in 1..9) sum += total / i;
        return sum;
    }
}
"##,
};

/// A division of integers by what is zero for certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivisionByZero {
    /// The divisor.
    pub divisor: ExprId,
    /// What has given it the value.
    pub origin: Option<TextRange>,
    /// Whether it is `%`.
    pub is_remainder: bool,
    /// When.
    pub occasion: Occasion,
}

impl Render for DivisionByZero {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let what = if self.is_remainder { "the remainder of a division by zero" } else { "division by zero" };
        let occasion = self.occasion.show(cx);
        let message = match cx.quoted(range).filter(|it| it.trim_end_matches(char::is_alphabetic) != "0") {
            Some(divisor) if self.occasion == Occasion::Always => format!("{what}: `{divisor}` is 0 here"),
            Some(divisor) => format!("{what}: `{divisor}` is 0{occasion}"),
            None => format!("{what}{occasion}"),
        };
        let diagnostic =
            RULE.at(range, message).note("an ArithmeticException is raised here when the program runs");
        with_origin(diagnostic, self.origin, "the zero comes from here", cx)
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::{check, check_none};

    /// The problem in the body of a method with formals `a`, `b` and `n`, and a rail `r`.
    #[track_caller]
    fn check_body(body: &str, message: &str) {
        check(&RULE, &method(body), message);
    }

    #[track_caller]
    fn check_no_problem(body: &str) {
        check_none(&RULE, &method(body));
    }

    fn method(body: &str) -> String {
        format!(
            "class A {{ static val ZERO = 0; def f(a:Long, b:Long, n:Int, r:Rail[Long]):Long {{ {body} }} }}"
        )
    }

    #[test]
    fn literal_zero() {
        check_body("return a / $00$0;", "division by zero");
        check_body("return (n % $00n$0) as Long;", "the remainder of a division by zero");
    }

    #[test]
    fn all_integer_types() {
        for kind in ["Byte", "Short", "Int", "Long", "UByte", "UShort", "UInt", "ULong"] {
            check_body(
                &format!("val x = a as {kind}; val zero = 0 as {kind}; x / $0zero$0; return 0;"),
                "division by zero: `zero` is 0 here",
            );
        }
    }

    #[test]
    fn division_of_floating_point_numbers_by_zero() {
        check_no_problem("val x = 1.0 / 0; val y = 1.0 / 0.0; return (x + y) as Long;");
    }

    #[test]
    fn variable_that_is_zero_on_every_path() {
        check_body(
            "var d:Long = 0; if (a > 0) d = b - b * 1 + 0; else d = 0; d = 0; return a / $0d$0;",
            "division by zero: `d` is 0 here",
        );
        check_no_problem("var d:Long = 0; if (a > 0) d = 1; return a / d;");
    }

    #[test]
    fn value_that_a_condition_gives() {
        check_body("if (b == 0) return a / $0b$0; return 1;", "division by zero: `b` is 0 here");
        check_body("return b != 0 ? 1 : a / $0b$0;", "division by zero: `b` is 0 here");
        check_body(
            "return b >= 0 && b < 1 ? a % $0b$0 : 1;",
            "the remainder of a division by zero: `b` is 0 here",
        );
        check_no_problem("return b != 0 ? a / b : 1;");
        check_no_problem("if (b == 0 || a / b > 1) return 1; return a / b;");
    }

    #[test]
    fn constant_of_the_class() {
        check_body("return a / $0ZERO$0;", "division by zero: `ZERO` is 0 here");
        check_no_problem("if (ZERO > 0) return a / ZERO; return 0;");
    }

    #[test]
    fn first_iteration() {
        check_body(
            "for (i in 0..9) { val q = a / $0i$0; } return 0;",
            "division by zero: `i` is 0 in the first iteration, where `i` is 0",
        );
        check_body(
            "for (var i:Long = 0; i < a; i++) { val q = a % $0i$0; } return 0;",
            "the remainder of a division by zero: `i` is 0 in the first iteration",
        );
        check_no_problem("for (i in 0..9) { if (i > 0) { val q = a / i; } } return 0;");
        check_no_problem("for (i in 0..9) { if (a < i) { val q = a / i; } } return 0;");
        check_no_problem("for (i in a..b) { val q = a / i; } return 0;");
    }

    #[test]
    fn last_iteration() {
        check_body(
            "for (i in 1..9) { val q = a / ($0i - 9$0); } return 0;",
            "division by zero: `i - 9` is 0 in the last iteration, where `i` is 9",
        );
        check_no_problem("for (i in 1..9) { if (a == i) break; val q = a / (i - 9); } return 0;");
    }

    #[test]
    fn loops_that_change_the_divisor() {
        check_no_problem("var d:Long = 1; while (d < a) { val q = a / d; d *= 2; } return a / d;");
        check_no_problem("var d:Long = 0; while (d < a) d++; return a / d;");
        check_no_problem("var d:Long = 0; do { d++; } while (a / d > 1); return d;");
        check_no_problem("var d:Long = 0; for (x in r) d += x; return a / d;");
    }

    #[test]
    fn activities_that_change_the_divisor() {
        check_no_problem("var d:Long = 0; finish { async { d = 1; } } return a / d;");
        check_no_problem("var d:Long = 0; finish { async { val q = a / d; } d = 1; } return 0;");
    }

    #[test]
    fn exceptions_before_an_assignment() {
        check_no_problem("var d:Long = 0; try { d = r(0); } catch (e:Exception) { } return a / d;");
        check_no_problem(
            "var d:Long = 0; try { d = 1; d = r(0); d = 0; } catch (e:Exception) { return a / d; } return 1;",
        );
        check_no_problem("var d:Long = 0; try { r(0) = 1; } finally { d = 1; } return a / d;");
    }

    #[test]
    fn wrapping_of_integers() {
        check_no_problem("if (a + 1 > a) return 1; return a / (a + 1 - a - 1 + b);");
        check_body("val x = 256; return a / ($0x as Byte$0);", "division by zero: `x as Byte` is 0 here");
    }

    #[test]
    fn jumps() {
        check_no_problem("var d:Long = 0; while (true) { if (a > 3) { d = 2; break; } } return a / d;");
        check_no_problem(
            "var d:Long = 0; switch (n) { case 0n: d = 1; break; default: d = 2; } return a / d;",
        );
        check_body(
            "switch (n) { case 0n: return (3n / $0n$0) as Long; default: return 1; }",
            "division by zero: `n` is 0 here",
        );
    }
}
