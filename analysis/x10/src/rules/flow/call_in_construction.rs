//! `flow/call-in-construction`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::members::describe_method;
use crate::rules::render::{Render, RenderContext};

/// A method that is called before its object is constructed, and may be another one than it seems.
pub static RULE: Rule = Rule {
    code: "flow/call-in-construction",
    severity: Severity::Error,
    summary: "A method that is called before its object is constructed, and may be another one than it seems.",
    explanation: r##"
A constructor or field initialiser may call a method of its object only if that method is known: it belongs to the same class and
is `private` or `final` (or the class is). A subclass could override any other, and would see fields that have no values
yet. Of inherited methods only those marked `@NonEscaping` can be called, or `@NoThisAccess` for methods that do not use
`this` at all and may therefore be overridden (X10 2.6, "Constructors and Non-Escaping Methods").
"##,
    failing: r##"
class Example {
    val size:Long;
    def this() {
        size = initialSize();
    }
    def initialSize() = 10;
}
"##,
    fixed: r##"
class Example {
    val size:Long;
    def this() {
        size = initialSize();
    }
    private def initialSize() = 10;
}
"##,
};

/// A call on an object under construction that may use it before it is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallInConstruction {
    /// Of an inherited or abstract method with unknown effects.
    Inherited(MethodId),
    /// Of a method that subclasses can override.
    Overridable(MethodId),
}

impl Render for CallInConstruction {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            CallInConstruction::Inherited(method) => {
                let (name, owner) = (describe_method(cx.db, *method), method.class(cx.db).name(cx.db));
                RULE.at(range, format!("`{name}` of `{owner}` cannot be called while the object is constructed"))
                    .note("nothing is known of what it does with `this`: of inherited and abstract methods only those marked `@NonEscaping` or `@NoThisAccess` can be called")
            }
            CallInConstruction::Overridable(method) => {
                let name = describe_method(cx.db, *method);
                let message = format!(
                    "`{name}` can be overridden, so it cannot be called while the object is constructed"
                );
                RULE.at(range, message).note("a subclass's method would see fields that are not assigned yet: make the method `private` or `final`, or mark it `@NoThisAccess` if it does not use `this`")
            }
        }
    }
}
