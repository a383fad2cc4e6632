//! `type/void-value`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A value of type `void`.
pub static RULE: Rule = Rule {
    code: "type/void-value",
    severity: Severity::Error,
    summary: "A value of type `void`.",
    explanation: r##"
`void` says that a method or function has no result. No variable, formal or type argument can be of that type, and a
call without a result can only stand as a statement.
"##,
    failing: r##"
class Example {
    static def keep(x:void):Long = 1;
}
"##,
    fixed: r##"
class Example {
    static def keep():Long = 1;
}
"##,
};

/// A call without a result as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoidValue;

impl Render for VoidValue {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        RULE.at(range, "this call has no result, so it cannot be used as a value")
            .note("its method returns `void`: call it as a statement of its own")
    }
}
