//! `flow/property-call`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// `property(...)` where the properties have their values already.
pub static RULE: Rule = Rule {
    code: "flow/property-call",
    severity: Severity::Error,
    summary: "`property(...)` where the properties have their values already.",
    explanation: r##"
Every path through a constructor of a class with properties sets them exactly once: by one `property(...)`, or by `this(...)`, which
leaves it to another constructor.
"##,
    failing: r##"
class Example(size:Long) {
    def this(wanted:Long) {
        property(wanted);
    }
    def this() {
        this(10);
        property(10);
    }
}
"##,
    fixed: r##"
class Example(size:Long) {
    def this(wanted:Long) {
        property(wanted);
    }
    def this() {
        this(10);
    }
}
"##,
};

/// A `property(...)` call where the properties are set already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyCall {
    /// By an earlier `property(...)`.
    Twice,
    /// By `this(...)`.
    AfterThis,
}

impl Render for PropertyCall {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let (message, note) = match self {
            PropertyCall::Twice => (
                "`property(...)` is called twice",
                "the properties have their values already: remove one of the calls",
            ),
            PropertyCall::AfterThis => (
                "`property(...)` cannot come after `this(...)`",
                "the constructor that `this(...)` calls has set the properties: remove this call",
            ),
        };
        RULE.at(range, message).note(note)
    }
}
