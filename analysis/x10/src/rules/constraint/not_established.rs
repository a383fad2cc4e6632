//! `constraint/not-established`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conditions::known_conditions;
use crate::ty::ConstraintTerm;

/// A constructor that does not establish what its class or its own result type promises.
pub static RULE: Rule = Rule {
    code: "constraint/not-established",
    severity: Severity::Error,
    summary: "A constructor that does not establish what its class or its own result type promises.",
    explanation: r##"
The condition of a class, the constraint after `extends C` and the result type of a constructor are promises about every new object. They must
follow from what the constructor does: the arguments of `property(...)`, what the constructor of the superclass promises, and the
constructor's own condition.

Give `property(...)` other arguments, or make the promise a condition of the constructor, so that the callers see to it.
"##,
    failing: r##"
class Square(width:Long, height:Long){width == height} {
    def this(width:Long, height:Long) { property(width, height); }
}
"##,
    fixed: r##"
class Square(width:Long, height:Long){width == height} {
    def this(width:Long, height:Long){width == height} { property(width, height); }
}
"##,
};

/// A promise about the new object that does not follow when its properties are set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEstablished {
    /// The promised condition.
    pub term: ConstraintTerm,
    /// The result type of the constructor promises it, not the class.
    pub is_result: bool,
    /// Conditions about the same that are known.
    pub known: Vec<ConstraintTerm>,
}

impl Render for NotEstablished {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let promiser = if self.is_result { "the result type of this constructor" } else { "the class" };
        let term = &self.term;
        RULE.at(range, format!("{promiser} promises `{term}`, which does not follow from what is set here"))
            .note(known_conditions(&self.known))
    }
}
