//! `type/literal-range`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A number that does not fit its type.
pub static RULE: Rule = Rule {
    code: "type/literal-range",
    severity: Severity::Error,
    summary: "A number that does not fit its type.",
    explanation: r##"
The suffix of an integer literal says its type: `n` is Int, `s` Short, `y` Byte, none or `l` Long; `u` makes it unsigned. The value must be one of that
type. A hexadecimal literal may have all bits of its type.

Choose a wider type, or correct the number.
"##,
    failing: r##"
class Example {
    static def limit():Int = 3000000000n;
}
"##,
    fixed: r##"
class Example {
    static def limit():Long = 3000000000;
}
"##,
};

/// A number that its type does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiteralRange {
    /// The number of a literal.
    Literal {
        /// The type that its suffix says.
        ty: &'static str,
    },
    /// The number of a `case`.
    Case {
        /// The type that is switched on.
        ty: Ty,
    },
}

impl Render for LiteralRange {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            LiteralRange::Literal { ty } => RULE
                .at(range, format!("this number does not fit the type `{ty}` of the literal"))
                .note("choose a wider type by another suffix: `n` is Int, none is Long, `u` ULong"),
            LiteralRange::Case { ty } => RULE
                .at(range, format!("no `{}` has this value, so that the case is never taken", cx.show(*ty)))
                .note("compare with a value of the type of what is switched on"),
        }
    }
}
