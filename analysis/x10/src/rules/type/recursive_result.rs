//! `type/recursive-result`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A result type that is inferred from itself.
pub static RULE: Rule = Rule {
    code: "type/recursive-result",
    severity: Severity::Error,
    summary: "A result type that is inferred from itself.",
    explanation: r##"
Without a declared result type, the code of a method says what it delivers. If all that it delivers comes from calls of the method itself,
directly or through others that declare no result either, nothing says where to begin.

Declare the result type of one of them.
"##,
    failing: r##"
class Example {
    static def last(n:Long) = last(n - 1);
}
"##,
    fixed: r##"
class Example {
    static def last(n:Long):Long = last(n - 1);
}
"##,
};

/// An inferred type that depends on itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecursiveResult {
    /// The method or field.
    pub name: SmolStr,
    /// It is a field.
    pub is_field: bool,
}

impl Render for RecursiveResult {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let ty = if self.is_field { "the type" } else { "the result type" };
        RULE.at(range, format!("{ty} of `{}` depends on itself", self.name))
            .note("it is inferred from the code, which uses the very same result: declare it")
    }
}
