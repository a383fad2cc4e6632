//! `type/narrowed-assignment`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity, article};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// A compound assignment that discards the fractional part.
pub static RULE: Rule = Rule {
    code: "type/narrowed-assignment",
    severity: Severity::Warning,
    summary: "A compound assignment that discards the fractional part.",
    explanation: r##"
`i += x` is `i = i + x`, and the sum of an integer and a `Double` is a `Double`. X10 converts it back to the type of `i`, which cuts off
what follows the point and, beyond the range of `i`, more. An assignment in full needs a written conversion, which says that this is meant.
"##,
    failing: r##"
class Example {
    static def half(n:Long):Long {
        var i:Long = n;
        i *= 0.5;
        return i;
    }
}
"##,
    fixed: r##"
class Example {
    static def half(n:Long):Long {
        var i:Long = n;
        i = (i * 0.5) as Long;
        return i;
    }
}
"##,
};

/// A compound assignment that discards the fractional part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarrowedAssignment {
    /// The type of the result of the operator.
    pub from: Ty,
    /// The type of the variable.
    pub to: Ty,
}

impl Render for NarrowedAssignment {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let (from, to) = (cx.show(self.from), cx.show(self.to));
        RULE.at(range, format!("this computes {} and cuts it off to {}", article(&from), article(&to)))
            .note(format!("if that is meant, write the assignment in full: `x = (x op e) as {to}`"))
    }
}
