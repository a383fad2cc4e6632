//! `type/bad-conversion`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::ClassId;
use crate::rules::render::{Render, RenderContext};

/// A conversion operator that converts between other types.
pub static RULE: Rule = Rule {
    code: "type/bad-conversion",
    severity: Severity::Error,
    summary: "A conversion operator that converts between other types.",
    explanation: r##"
`operator (x:A):B` and `operator (x:A) as B` are looked for in the class `B` when a `B` is needed, and in `A` when an `A`
is given. So one of the two is the class that declares the operator.
"##,
    failing: r##"
class Celsius(degrees:Double) {
    public static operator (x:Double):String = x + " C";
}
"##,
    fixed: r##"
class Celsius(degrees:Double) {
    public static operator (x:Double):Celsius = new Celsius(x);
}
"##,
};

/// A conversion operator that involves its class on neither side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadConversion {
    /// The class that declares the operator.
    pub class: ClassId,
}

impl Render for BadConversion {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let name = self.class.name(cx.db);
        RULE.at(range, format!("this operator converts neither from nor to `{name}`"))
            .note("declare it in the class that it converts to")
    }
}
