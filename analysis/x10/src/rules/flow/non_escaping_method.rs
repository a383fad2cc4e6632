//! `flow/non-escaping-method`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::ids::MethodId;
use crate::item_tree::Modifiers;
use crate::item_tree::items::method_item;
use crate::rules::render::{Render, RenderContext};
use apg_syntax::ast::{self, AstNode};

/// A `@NonEscaping` method that can be overridden.
pub static RULE: Rule = Rule {
    code: "flow/non-escaping-method",
    severity: Severity::Error,
    summary: "A `@NonEscaping` method that can be overridden.",
    explanation: r##"
`@NonEscaping` says that a method may be called while its object is constructed. A method that overrides it would be called instead,
and nothing is known of it. So the method has to be `private` or `final`, or its class `final`. A method that does not use `this`
at all may stay open to overriding: mark it `@NoThisAccess`.
"##,
    failing: r##"
import x10.compiler.NonEscaping;

class Example {
    var size:Long;
    def this() {
        init();
    }
    @NonEscaping def init() {
        size = 10;
    }
}
"##,
    fixed: r##"
import x10.compiler.NonEscaping;

class Example {
    var size:Long;
    def this() {
        init();
    }
    @NonEscaping final def init() {
        size = 10;
    }
}
"##,
};

/// A method that is marked `@NonEscaping` can be overridden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonEscapingMethod {
    /// The method.
    pub method: MethodId,
}

impl Render for NonEscapingMethod {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = self.method.name(cx.db);
        let diagnostic = RULE
            .at(range, format!("`{name}` is marked `@NonEscaping`, so it must be `private` or `final`"))
            .note("a method of a subclass that overrides it could let `this` get away");
        self.add_final(cx).into_iter().fold(diagnostic, Diagnostic::fix)
    }
}

impl NonEscapingMethod {
    /// A fix that inserts `final` before `def`.
    fn add_final(&self, cx: &RenderContext<'_>) -> Option<Fix> {
        if method_item(cx.db, self.method)?.modifiers.has(Modifiers::ABSTRACT) {
            return None;
        }
        let def = ast::MethodDecl::cast(cx.syntax()?)?.def_token()?;
        Some(Fix::insert("Make it `final`", def.text_range().start(), "final "))
    }
}
