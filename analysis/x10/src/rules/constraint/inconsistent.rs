//! `constraint/inconsistent`

use apg_syntax::TextRange;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::ids::{ClassId, MethodId};
use crate::rules::render::{Render, RenderContext};

/// A constraint that no value can meet.
pub static RULE: Rule = Rule {
    code: "constraint/inconsistent",
    severity: Severity::Error,
    summary: "A constraint that no value can meet.",
    explanation: r##"
The terms of a constraint, with the conditions of the class that it constrains, contradict each other: `Long{self == 1, self == 2}` has no values, and a
method whose condition is never met can never be called.

Take one of the terms away.
"##,
    failing: r##"
class Example {
    static def never(n:Long{self == 1, self == 2}):Long = n;
}
"##,
    fixed: r##"
class Example {
    static def sometimes(n:Long{self == 1}):Long = n;
}
"##,
};

/// A declared condition that cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inconsistent {
    /// The conditions on the objects of a class.
    OfClass(ClassId),
    /// The guard of a method.
    OfMethod(MethodId),
}

impl Render for Inconsistent {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let message = match self {
            Inconsistent::OfClass(class) => {
                format!("the conditions on objects of `{}` contradict each other", class.name(cx.db))
            }
            Inconsistent::OfMethod(method) => {
                let name = method.name(cx.db);
                format!("the condition of `{name}` can never hold, so it can never be called")
            }
        };
        RULE.at(range, message)
    }
}
