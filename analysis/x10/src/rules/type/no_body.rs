//! `type/no-body`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A method without code, or with code that it must not have.
pub static RULE: Rule = Rule {
    code: "type/no-body",
    severity: Severity::Error,
    summary: "A method without code, or with code that it must not have.",
    explanation: r##"
A method has a body unless it is `abstract` or `native` or belongs to an interface; such a method has none. An abstract
method can only be declared by an abstract class or an interface.
"##,
    failing: r##"
class Example {
    def area():Long;
}
"##,
    fixed: r##"
abstract class Example {
    abstract def area():Long;
}
"##,
};

/// A call of an abstract method through `super`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoBody {
    /// The method.
    pub method: MethodId,
}

impl Render for NoBody {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (class, name) = (self.method.class(cx.db).name(cx.db), self.method.name(cx.db));
        RULE.at(
            range,
            format!("`{name}` is abstract in `{class}`: there is no code that `super.{name}` could run"),
        )
        .note("leave the call out, or give the method of the superclass a body")
    }
}
