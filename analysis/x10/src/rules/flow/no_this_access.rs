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

/// A method that is marked `@NoThisAccess` uses `this`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoThisAccess {
    /// The method.
    pub method: MethodId,
}

impl Render for NoThisAccess {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = self.method.name(cx.db);
        RULE.at(range, format!("`{name}` is marked `@NoThisAccess` and uses `this`")).note(
            "hand the values that it needs to it as arguments, or make it `private` or `final` and mark it `@NonEscaping`",
        )
    }
}
