//! `type/static-context`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A use of `this` where there is no object.
pub static RULE: Rule = Rule {
    code: "type/static-context",
    severity: Severity::Error,
    summary: "A use of `this` where there is no object.",
    explanation: r##"
Static methods, static fields and their initialisers belong to the class, not to an object, so they have no `this` and cannot use fields and
methods that belong to an object. The type parameters of a class stand for what an object was made for, and mean nothing there either.

Pass the object as an argument, make the member static, or give it type parameters of its own.
"##,
    failing: r##"
class Example {
    var count:Long = 0;
    static def next():Long = count + 1;
}
"##,
    fixed: r##"
class Example {
    var count:Long = 0;
    def next():Long = count + 1;
}
"##,
};

/// An object is needed where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaticContext {
    /// `this` in static code.
    This,
    /// A member of an object in static code.
    NoObject {
        /// The member.
        name: SmolStr,
    },
}

impl Render for StaticContext {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            StaticContext::This => RULE
                .at(range, "there is no `this` in static code")
                .note("static methods and initialisers are run without an object: pass one as an argument"),
            StaticContext::NoObject { name } => RULE
                .at(range, format!("`{name}` belongs to an object, and this code has no `this`"))
                .note("static code is run without an object: pass one as an argument, or make the member static"),
        }
    }
}
