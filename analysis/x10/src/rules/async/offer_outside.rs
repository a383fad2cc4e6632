//! `async/offer-outside`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// An `offer` where nothing takes the value.
pub static RULE: Rule = Rule {
    code: "async/offer-outside",
    severity: Severity::Error,
    summary: "An `offer` where nothing takes the value.",
    explanation: r##"
`offer e;` gives a value to the collecting `finish` around it, which combines all values by its reducer: `val sum = finish (reducer) { ... }`.
A method that offers values says so, `def m() offers T { ... }`. What it offers goes to the collecting `finish` around the call, or, where the
call is in another method, to the `finish` that waits for that method when it runs. If that `finish` collects nothing, or values of another
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

/// A value is offered where nothing takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfferOutside {
    /// By `offer`.
    Offer,
    /// By a method that is called.
    Call {
        /// The method.
        name: SmolStr,
    },
}

impl Render for OfferOutside {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            OfferOutside::Offer => RULE.at(range, "nothing here takes what is offered").note(
                "`offer` stands inside a collecting `finish (reducer) { ... }`, or in a method that says `offers T`",
            ),
            OfferOutside::Call { name } => RULE
                .at(range, format!("`{name}` offers values, and nothing here takes them"))
                .note("call it inside a collecting `finish (reducer) { ... }`, or in a method that says `offers T`"),
        }
    }
}
