//! `flow/uncaught-exception`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A checked exception that nothing catches or declares.
pub static RULE: Rule = Rule {
    code: "flow/uncaught-exception",
    severity: Severity::Error,
    summary: "A checked exception that nothing catches or declares.",
    explanation: r##"
Exceptions that are neither `Exception`s nor `Error`s are *checked*: the subclasses of `CheckedThrowable` or `CheckedException` beside
those. What may throw one is inside a `try` that catches it, or in a method that declares it by `throws` (X10 2.6, "Throws Clause").
A closure cannot declare anything, so it catches them all. All exceptions of the class library are unchecked.
"##,
    failing: r##"
class Broken extends CheckedException {}

class Example {
    static def read() {
        throw new Broken();
    }
}
"##,
    fixed: r##"
class Broken extends CheckedException {}

class Example {
    static def read() throws Broken {
        throw new Broken();
    }
}
"##,
};

/// A checked exception that is neither caught nor declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncaughtException {
    /// The exception.
    pub ty: Ty,
    /// The called method that throws it; `None` for a `throw`.
    pub method: Option<MethodId>,
    /// Whether it is thrown in a closure, which cannot declare it.
    pub in_closure: bool,
}

impl Render for UncaughtException {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let shown = cx.show(self.ty);
        let message = match self.method {
            Some(method) => format!("`{}` may throw `{shown}`, which nothing catches", method.name(cx.db)),
            None => format!("this throws `{shown}`, which nothing catches"),
        };
        RULE.at(range, message).note(match self.in_closure {
            true => {
                "a closure cannot declare what it throws: catch it here, and throw an `Exception` instead"
                    .to_owned()
            }
            false => format!("catch it by `try`, or declare it: `throws {shown}` after the formals"),
        })
    }
}
