//! `async/offer-outside`

use crate::diagnostics::{Rule, Severity};

/// An `offer` where nothing takes the value.
pub static RULE: Rule = Rule {
    code: "async/offer-outside",
    severity: Severity::Error,
    summary: "An `offer` where nothing takes the value.",
    explanation: r##"
`offer e;` gives a value to the collecting `finish` around it, which combines all values by its reducer: `val sum = finish (reducer) { ... }`.
A method that offers values says so, `def m() offers T { ... }`. What it offers goes to the collecting `finish` around the call, or, where the
call stands in another method, to the `finish` that waits for that method when it runs. If that one collects nothing, or values of another
type, an `IllegalOperationException` is raised.

Put the `offer`, or the call, inside a collecting `finish`, or declare what the method offers.
"##,
    failing: r##"
class Example {
    static def main(args:Rail[String]) {
        finish for (i in 1..3) async offer i;
    }
}
"##,
    fixed: r##"
class Example {
    static def main(args:Rail[String]) {
        val sum = finish (Reducible.SumReducer[Long]()) {
            for (i in 1..3) async offer i;
        };
        Console.OUT.println(sum);
    }
}
"##,
};
