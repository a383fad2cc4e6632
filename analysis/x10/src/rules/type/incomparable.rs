//! `type/incomparable`

use apg_syntax::TextRange;

use crate::body::ExprId;
use crate::diagnostics::{Diagnostic, Rule, Severity};
use crate::rules::render::{Render, RenderContext};
use crate::suggest::conversion::{operand, replaced};
use crate::suggest::literal::literal_fix;
use crate::ty::Ty;
use crate::ty::known::Known;

/// A comparison of values that are never equal.
pub static RULE: Rule = Rule {
    code: "type/incomparable",
    severity: Severity::Error,
    summary: "A comparison of values that are never equal.",
    explanation: r##"
`==` compares references by identity and structs by their fields. It converts nothing, not even
an `Int` to a `Long`; so values of unrelated types are never equal, and comparing them is a mistake.

Convert one side, or compare both `as Any`.
"##,
    failing: r##"
class Example {
    static def isOne(text:String) = text == 1;
}
"##,
    fixed: r##"
class Example {
    static def isOne(text:String) = Long.parse(text) == 1;
}
"##,
};

/// Values that are never equal are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomparable {
    /// The left operand.
    pub left: ExprId,
    /// The right operand.
    pub right: ExprId,
}

impl Render for Incomparable {
    fn rule(&self) -> &'static Rule {
        &RULE
    }

    fn render(&self, range: TextRange, cx: &RenderContext<'_>) -> Diagnostic {
        let db = cx.db;
        let (Some(left), Some(right)) = (cx.expr(self.left), cx.expr(self.right)) else {
            return RULE.at(range, "these are never equal");
        };
        let (a, b) = (left.ty.base(db), right.ty.base(db));
        let diagnostic = RULE.at(range, format!("`{}` and `{}` are never equal", cx.show(a), cx.show(b)));
        let is_number = |ty: Ty| ty.primitive(db).is_some_and(Known::is_number);
        let is_place = |ty: Ty| ty == Ty::place(db);
        let place = match (is_place(a) && is_number(b), is_number(a) && is_place(b)) {
            (true, _) => Some(left),
            (_, true) => Some(right),
            _ => None,
        };
        if let Some(place) = place {
            let diagnostic = diagnostic.note("places have numbers: `p.id`, a `Long`");
            return match cx.source(place.range) {
                Some(text) => replaced(diagnostic, place.range, format!("{}.id", operand(&text))),
                None => diagnostic,
            };
        }
        if a.is_null(db) || b.is_null(db) {
            return diagnostic
                .note("only objects of classes may be `null`: values of structs always are there");
        }
        let diagnostic =
            diagnostic.note("`==` converts nothing: convert one side with `as`, to `Any` if need be");
        let are_numbers = is_number(a) && is_number(b);
        let fix = literal_fix(cx, self.right, a).or_else(|| literal_fix(cx, self.left, b));
        fix.into_iter().filter(|_| are_numbers).fold(diagnostic, Diagnostic::fix)
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::testing::check_fix;

    #[test]
    fn place_is_compared_by_its_number() {
        check_fix(&RULE, "class A { def f(p:Place) = p == 0; }", "class A { def f(p:Place) = p.id == 0; }");
    }
}
