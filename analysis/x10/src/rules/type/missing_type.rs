//! `type/missing-type`

use apg_syntax::TextRange;
use smol_str::SmolStr;

use crate::diagnostics::{Diagnostic, Fix, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::ty::Ty;

/// Nothing says what type this is.
pub static RULE: Rule = Rule {
    code: "type/missing-type",
    severity: Severity::Error,
    summary: "Nothing says what type this is.",
    explanation: r##"
A variable without an initialiser needs a type; so does the empty rail `[]`, whose elements say nothing.
"##,
    failing: r##"
class Example {
    static def nothing() {
        val none = [];
        Console.OUT.println(none.size);
    }
}
"##,
    fixed: r##"
class Example {
    static def nothing() {
        val none = new Rail[Long](0);
        Console.OUT.println(none.size);
    }
}
"##,
};

/// A type that neither is written nor follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingType {
    /// The type of a `var` declared by `<:`.
    BoundOfVar,
    /// The elements of an empty rail.
    EmptyRail,
    /// A formal of a closure.
    Formal,
    /// A formal of a closure, whose name alone is read as a type.
    FormalName {
        /// The name.
        name: SmolStr,
        /// The type that the closure is called with.
        ty: Option<Ty>,
    },
}

impl Render for MissingType {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            MissingType::BoundOfVar => RULE
                .at(range, "the type of a `var` cannot be left to its initialiser")
                .note("write `:` instead of `<:`, or declare a `val`"),
            MissingType::EmptyRail => RULE
                .at(range, "nothing says what the elements of this empty rail are")
                .note("write `new Rail[T](0)`"),
            MissingType::Formal => RULE
                .at(range, "this formal parameter needs a type")
                .note("nothing around the closure says what it is called with"),
            MissingType::FormalName { name, ty } => {
                let diagnostic = RULE
                    .at(range, format!("the formal `{name}` of this closure needs a type"))
                    .note(format!("a name alone is a type here: write `{name}:Type`"));
                let Some(ty) = ty else { return diagnostic };
                let text = format!("{name}:{}", cx.show(*ty));
                diagnostic.fix(Fix::replace(format!("Write `{text}`"), range, text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_fix;

    #[test]
    fn formal_gets_the_type_that_is_called_with() {
        check_fix(
            &RULE,
            "class A { val f:(Long)=>Long = (n) => n + 1; }",
            "class A { val f:(Long)=>Long = (n:Long) => n + 1; }",
        );
    }
}
