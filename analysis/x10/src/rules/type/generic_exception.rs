//! `type/generic-exception`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};

/// An exception class with type parameters.
pub static RULE: Rule = Rule {
    code: "type/generic-exception",
    severity: Severity::Error,
    summary: "An exception class with type parameters.",
    explanation: r##"
A `catch` asks for the class of the exception, which is known when the program runs; type arguments are not part of that
question. So a class that extends `CheckedThrowable` has no type parameters.
"##,
    failing: r##"
class Failure[T] extends Exception {
}
"##,
    fixed: r##"
class Failure extends Exception {
}
"##,
};

/// An exception with type parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenericException {
    /// The class of the exception.
    pub class: ClassId,
}

impl Render for GenericException {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = self.class.name(cx.db);
        RULE.at(range, format!("`{name}` is an exception and has type parameters"))
            .note("`catch` cannot ask for type arguments: keep the value in a field of type `Any`")
    }
}
