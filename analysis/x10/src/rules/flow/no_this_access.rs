//! `flow/no-this-access`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::MethodId;
use crate::rules::render::{Render, RenderContext};

/// A `@NoThisAccess` method that uses `this`.
pub static RULE: Rule = Rule {
    code: "flow/no-this-access",
    severity: Severity::Error,
    summary: "A `@NoThisAccess` method that uses `this`.",
    explanation: r##"
`@NoThisAccess` says that a method uses neither `this` nor `super`, not even their fields: so it can be called while its object is
constructed, although subclasses may override it. Methods that override it make the same promise, and say so.
"##,
    failing: r##"
import x10.compiler.NoThisAccess;

class Example {
    val start = 5;
    val size:Long;
    def this() {
        size = computed(3);
    }
    @NoThisAccess def computed(n:Long):Long = n * start;
}
"##,
    fixed: r##"
import x10.compiler.NoThisAccess;

class Example {
    val start = 5;
    val size:Long;
    def this() {
        size = computed(3);
    }
    @NoThisAccess def computed(n:Long):Long = n * 5;
}
"##,
};

/// A broken promise of `@NoThisAccess`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoThisAccess {
    /// A method that is marked uses `this`.
    UsesThis(MethodId),
    /// A method without the mark overrides this marked one.
    Overrides(MethodId),
}

impl Render for NoThisAccess {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            NoThisAccess::UsesThis(method) => RULE
                .at(range, format!("`{}` is marked `@NoThisAccess` and uses `this`", method.name(cx.db)))
                .note("hand the values that it needs to it as arguments, or make it `private` or `final` and mark it `@NonEscaping`"),
            NoThisAccess::Overrides(method) => {
                let (class, name) = (method.class(cx.db).name(cx.db), method.name(cx.db));
                let message =
                    format!("`{name}` of `{class}` is marked `@NoThisAccess`, so this method must be as well");
                RULE.at(range, message)
                    .note("it may be called while its object is constructed, and cannot use `this`")
            }
        }
    }
}
