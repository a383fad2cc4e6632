//! `type/wrong-type-arguments`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};

/// A type with the wrong number of type arguments.
pub static RULE: Rule = Rule {
    code: "type/wrong-type-arguments",
    severity: Severity::Error,
    summary: "A type with the wrong number of type arguments.",
    explanation: r##"
A generic type is used with one type for each of its parameters: `Rail[Long]`. A type without parameters takes
none. Only after `new`, and before the name of a static member, may the arguments of a generic class be left out.
"##,
    failing: r##"
class Example {
    static def first(list:Rail):Long = 1;
}
"##,
    fixed: r##"
class Example {
    static def first(list:Rail[Long]):Long = 1;
}
"##,
};

/// Type arguments of `x.new C[T]()` that do not fit the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongTypeArguments {
    /// Another number of them is needed.
    Count {
        /// The class.
        name: SmolStr,
        /// How many type parameters it has.
        wanted: usize,
        /// How many type arguments are written.
        given: usize,
    },
}

impl Render for WrongTypeArguments {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, _cx: &RenderContext<'_>) -> Diagnostic {
        let WrongTypeArguments::Count { name, wanted, given } = self;
        RULE.at(range, format!("`{name}` takes {wanted} type arguments, not {given}"))
    }
}
