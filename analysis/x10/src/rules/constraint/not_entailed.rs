//! `constraint/not-entailed`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conditions::MissingConditions;
use crate::ty::Ty;

/// A constraint that a value needs does not follow from what is known of it.
pub static RULE: Rule = Rule {
    code: "constraint/not-entailed",
    severity: Severity::Error,
    summary: "A constraint that a value needs does not follow from what is known of it.",
    explanation: r##"
A type such as `Long{self != 0}` asks for more than a class: its constraint must follow from what is known of the value, that is from the
constraints of the types of the variables it is made of, the conditions of the method and its class, and what `val`s were set to. What an `if`
has tested is not used.

By default X10 checks such a constraint when the program runs. Under static checks (`apg check --static-checks`) it is an error.

Cast the value with `as`, which checks it when the program runs and raises a `FailedDynamicCheckException` if it does not hold; or declare
more of the value: give a formal a constrained type, or the method a condition, `def f(n:Long){n != 0}`.
"##,
    failing: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long):Long {
        val some:Long{self != 0} = parts;
        return share(total, some);
    }
}
"##,
    fixed: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def share(total:Long, parts:Long{self != 0}):Long = total / parts;
    static def each(total:Long, parts:Long{self != 0}):Long {
        val some:Long{self != 0} = parts;
        return share(total, some);
    }
}
"##,
};

/// Conditions of a type that are not known to hold for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEntailed {
    /// The conditions.
    pub missing: MissingConditions,
    /// The value.
    pub value: ExprId,
    /// The type that it needs to have.
    pub needed: Ty,
}

impl Render for NotEntailed {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (list, verb) = self.missing.list();
        let found = cx.expr(self.value).map(|it| cx.show(it.ty)).unwrap_or_default();
        let diagnostic = RULE
            .at(range, format!("{list} {verb} needed here and not known to hold"))
            .note(format!("the type needed is `{}`, the value's is `{found}`", cx.show(self.needed)));
        self.missing.add_cast(self.missing.add_notes(diagnostic), self.value, self.needed, cx)
    }
}
