//! `flow/unreachable-catch`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// An unreachable `catch`: an earlier clause handles its exceptions.
pub static RULE: Rule = Rule {
    code: "flow/unreachable-catch",
    severity: Severity::Error,
    summary: "An unreachable `catch`: an earlier clause handles its exceptions.",
    explanation: r##"
The first `catch` whose type fits is taken. One after it for the same type or a subtype can never be reached: put the more special
types first.
"##,
    failing: r##"
class Example {
    static def test() {
        try {
            Console.OUT.println("try");
        } catch (e:Exception) {
            Console.OUT.println("exception");
        } catch (e:UnsupportedOperationException) {
            Console.OUT.println("unsupported");
        }
    }
}
"##,
    fixed: r##"
class Example {
    static def test() {
        try {
            Console.OUT.println("try");
        } catch (e:UnsupportedOperationException) {
            Console.OUT.println("unsupported");
        } catch (e:Exception) {
            Console.OUT.println("exception");
        }
    }
}
"##,
};

/// A `catch` of exceptions that an earlier one handles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachableCatch {
    /// The exceptions of the earlier one.
    pub earlier: Ty,
    /// The exceptions of this one.
    pub caught: Ty,
}

impl Render for UnreachableCatch {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (earlier, caught) = (cx.show(self.earlier), cx.show(self.caught));
        let message =
            format!("this is never reached: the `catch` of `{earlier}` before it takes every `{caught}`");
        RULE.at(range, message).note("put it before that one")
    }
}
