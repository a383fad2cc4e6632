//! `type/impossible-cast`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity, article};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conversion::with_conversion;
use crate::ty::Ty;

/// A cast or test that can never succeed.
pub static RULE: Rule = Rule {
    code: "type/impossible-cast",
    severity: Severity::Error,
    summary: "A cast or test that can never succeed.",
    explanation: r##"
`e as T` and `e instanceof T` ask whether the value is of type `T` while the program runs. That is in vain if no value of the type of `e` can be one:
structs have no subtypes, and two classes have a common instance only if one extends the other.

Between numbers and other structs `as` calls a conversion operator, if one is declared.
"##,
    failing: r##"
class Example {
    static def number(text:String) = text as Long;
}
"##,
    fixed: r##"
class Example {
    static def number(text:String) = Long.parse(text);
}
"##,
};

/// A cast or test of a type that the value never has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImpossibleCast {
    /// `instanceof` is never true.
    NeverInstance {
        /// The type of the value.
        found: Ty,
        /// The type that is tested.
        ty: Ty,
    },
    /// The value is known not to be of the type.
    Excluded {
        /// The type.
        ty: Ty,
    },
    /// Nothing converts the value to the type.
    NoConversion {
        /// The value.
        value: ExprId,
        /// Its type.
        from: Ty,
        /// The type of the cast.
        to: Ty,
    },
}

impl Render for ImpossibleCast {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        match self {
            ImpossibleCast::NeverInstance { found, ty } => {
                let (found, ty) = (cx.show(*found), cx.show(*ty));
                RULE.at(range, format!("a value of type `{found}` is never an instance of `{ty}`"))
            }
            ImpossibleCast::Excluded { ty } => {
                RULE.at(range, format!("the value is known not to be {}", article(&cx.show(*ty))))
            }
            ImpossibleCast::NoConversion { value, from, to } => {
                let message = format!("`{}` cannot be converted to `{}`", cx.show(*from), cx.show(*to));
                let diagnostic = RULE.at(range, message);
                with_conversion(cx, &diagnostic, *value, *to, range).unwrap_or_else(|| {
                    diagnostic.note(
                        "neither is a subtype of the other, and no `operator as` leads from the one to the other",
                    )
                })
            }
        }
    }
}
