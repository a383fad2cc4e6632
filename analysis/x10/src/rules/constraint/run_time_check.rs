//! `constraint/run-time-check`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conditions::{known_conditions, listed};
use crate::ty::ConstraintTerm;

/// A constraint is checked when the program runs.
pub static RULE: Rule = Rule {
    code: "constraint/run-time-check",
    severity: Severity::Hint,
    summary: "A constraint is checked when the program runs.",
    explanation: r##"
It does not follow from what is known here, so the compiled program checks it, and raises a `FailedDynamicCheckException` if it does not hold. The editor
shows where; `apg check --static-checks` makes every such place an error.

Nothing has to be done. Where the check is not wanted, declare more of the value: a constrained type for a formal, or a condition for the method.
"##,
    failing: r##"
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long):Long = share(total, parts);
}
"##,
    fixed: r##"
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long{self != 0}):Long = share(total, parts);
}
"##,
};

/// Conditions that are checked when the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTimeCheck {
    /// The conditions.
    pub terms: Vec<ConstraintTerm>,
    /// If they never hold: the conditions about the same that are known.
    pub refuted: Option<Vec<ConstraintTerm>>,
    /// The code is a kernel, which checks no conditions.
    pub in_kernel: bool,
}

impl Render for RunTimeCheck {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let list = listed(&self.terms);
        match &self.refuted {
            None => RULE.at(range, format!("{list} is checked when the program runs")),
            Some(known) => {
                let message = match self.in_kernel {
                    true => format!("{list} never holds here"),
                    false => format!("{list} never holds here, so the check when the program runs fails"),
                };
                RULE.at(range, message).note(known_conditions(known))
            }
        }
    }
}
