//! `type/bad-constructor-result`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A constructor that says that it makes something else.
pub static RULE: Rule = Rule {
    code: "type/bad-constructor-result",
    severity: Severity::Error,
    summary: "A constructor that says that it makes something else.",
    explanation: r##"
A constructor may say more about the object that it makes by a result type, `def this(n:Long):Example{self.size == n}`: its own
class, constrained. It cannot make an object of another type.
"##,
    failing: r##"
class Example(size:Long) {
    def this(wanted:Long):String {
        property(wanted);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    def this(wanted:Long):Example{self.size == wanted} {
        property(wanted);
    }
}
"##,
};

/// A constructor declares another type than its class as its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadConstructorResult {
    /// The class.
    pub class: ClassId,
    /// The declared result.
    pub result: Ty,
}

impl Render for BadConstructorResult {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (class, result) = (self.class.name(cx.db), cx.show(self.result));
        RULE.at(range, format!("a constructor of `{class}` cannot make a `{result}`"))
            .note("its result is its own class, perhaps with a constraint; or leave it out")
    }
}
