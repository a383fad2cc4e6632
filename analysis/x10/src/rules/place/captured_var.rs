//! `place/captured-var`

use apg_syntax::TextRange;

use crate::body::LocalId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::declare_as_val;

/// An `at` that uses a `var` of the code around it.
pub static RULE: Rule = Rule {
    code: "place/captured-var",
    severity: Severity::Error,
    summary: "An `at` that uses a `var` of the code around it.",
    explanation: r##"
`at (p) S` runs `S` at the place `p`, on copies of all that it captures. A variable outside cannot be assigned from there, and a
`var` cannot be read either, for the copy would not follow its changes. The one exception is reading a `var`
where the place is known to be the variable's own.

Copy the value into a `val` before the `at` if it is only read. To bring a value back, use an `at` expression,
`x = at (p) e`, or go back to the variable's place through a `GlobalRef`.
"##,
    failing: r##"
class Example {
    static def load(p:Place):Long {
        var load:Long = 0;
        at (p) load = 1;
        return load;
    }
}
"##,
    fixed: r##"
class Example {
    static def load(p:Place):Long {
        var load:Long = 0;
        load = at (p) 1;
        return load;
    }
}
"##,
};

/// An `at` reads or assigns a `var` of another place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedVar {
    /// The variable.
    pub local: LocalId,
    /// Whether it is assigned.
    pub is_assigned: bool,
}

impl Render for CapturedVar {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = cx.local_name(self.local);
        let (does, instead) = match self.is_assigned {
            true => (
                "assigned",
                format!(
                    "deliver the value as the result of an `at` expression, `{name} = at (p) e`, or reach the variable's place through a `GlobalRef`"
                ),
            ),
            false => ("read", "copy its value into a `val` before the `at`".to_owned()),
        };
        let diagnostic = RULE
            .at(range, format!("`{name}` cannot be {does} here: it lives at another place, outside the `at`"))
            .note(format!("an `at` works on copies of what it captures: {instead}"));
        declare_as_val(cx, self.local).into_iter().fold(diagnostic, Diagnostic::fix)
    }
}
