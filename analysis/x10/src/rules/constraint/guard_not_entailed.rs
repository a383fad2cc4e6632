//! `constraint/guard-not-entailed`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::members::describe_method;
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conditions::MissingConditions;
use crate::ty::Ty;

/// The condition of a method does not follow from what is known at the call.
pub static RULE: Rule = Rule {
    code: "constraint/guard-not-entailed",
    severity: Severity::Error,
    summary: "The condition of a method does not follow from what is known at the call.",
    explanation: r##"
A method can ask for a condition, `def get(i:Long){i != 0}`, which must follow at each call from what is known of the arguments and the
object.

By default X10 checks it at the call when the program runs. Under static checks (`apg check --static-checks`) it is an error.

Declare more of the arguments (a constrained type, or the same condition on the calling method), or cast one of them with `as` to a type that
has the constraint.
"##,
    failing: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def inverse(n:Double){n != 0.0}:Double = 1.0 / n;
    static def half(n:Double):Double = inverse(n) / 2.0;
}
"##,
    fixed: r##"
// OPTIONS: -STATIC_CHECKS
class Example {
    static def inverse(n:Double){n != 0.0}:Double = 1.0 / n;
    static def half(n:Double){n != 0.0}:Double = inverse(n) / 2.0;
}
"##,
};

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A method.
    Method(MethodId),
    /// A function of this type.
    Function(Ty),
}

/// Conditions of a call that are not known to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardNotEntailed {
    /// The conditions.
    pub missing: MissingConditions,
    /// What is called.
    pub callee: Callee,
}

impl Render for GuardNotEntailed {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (list, verb) = self.missing.list();
        let callee = match &self.callee {
            Callee::Method(method) => format!("`{}`", describe_method(cx.db, *method)),
            Callee::Function(ty) => format!("the function, a `{}`", cx.show(*ty)),
        };
        let diagnostic = RULE
            .at(range, format!("the call needs {list}, which {verb} not known to hold"))
            .note(format!("it is a condition of {callee}"));
        self.missing.add_notes(diagnostic)
    }
}
