//! How a value becomes one of another type where no conversion leads there: `s` where an `Int` is needed is `Int.parse(s)`.

use apg_syntax::TextRange;

use crate::body::{ExprId, Literal};
use crate::diagnostics::Diagnostic;
use crate::infer::context::Infer;
use crate::infer::expr::convert::literal_of;
use crate::infer::suggest::foreign_members::replaced;
use crate::ty::Ty;
use crate::ty::known::Known;

impl Infer<'_> {
    /// Says what makes a `to` of the value `id`, and writes it in place of `range`: of the value, or of a cast of it.
    pub(crate) fn with_making(
        &self,
        diagnostic: &Diagnostic,
        id: ExprId,
        to: Ty,
        range: TextRange,
    ) -> Option<Diagnostic> {
        let value = self.source(self.range(id)).filter(|it| !it.is_empty())?;
        let (text, note) = self.making(id, to, &value)?;
        Some(replaced(diagnostic.clone().note(format!("{note}: `{text}`")), range, text))
    }

    fn making(&self, id: ExprId, to: Ty, value: &str) -> Option<(String, &'static str)> {
        let (from, to) = (self.ty(id).base(self.db), to.base(self.db));
        let (a, b) = (from.primitive(self.db), to.primitive(self.db));
        let shown = self.show(to);
        let is_number = |known: Option<Known>| known.is_some_and(Known::is_number);
        if self.is_string(from) && (is_number(b) || b == Some(Known::Boolean)) {
            return Some((format!("{shown}.parse({value})"), "values are read from text"));
        }
        if self.is_string(to) && a.is_some() {
            return Some((format!("{}.toString()", operand(value)), "text is made of a value"));
        }
        if to.is_known(self.db, Known::Place) && is_number(a) {
            return Some((format!("Place({value})"), "places have numbers"));
        }
        Some(match (a?, b?) {
            (Known::Char, Known::Int) => (format!("{}.ord()", operand(value)), "characters have numbers"),
            (Known::Char, known) if known.is_number() => {
                (format!("{}.ord() as {shown}", operand(value)), "characters have numbers")
            }
            (Known::Boolean, known) if known.is_number() => {
                let [one, zero] = [1, 0].map(|n| literal_of(&Literal::Int(n), known));
                (format!("({value}) ? {} : {}", one?, zero?), "a truth value is no number, and chooses one")
            }
            (known, Known::Boolean) if known.is_number() => {
                let zero = literal_of(&Literal::Int(0), known)?;
                let is_word = value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                let value = if is_word { value.to_owned() } else { format!("({value})") };
                (format!("{value} != {zero}"), "a number is no truth value, and is compared")
            }
            _ => return None,
        })
    }
}

/// A value as the operand of what follows it.
pub(crate) fn operand(value: &str) -> String {
    let is_name = value.starts_with(|c: char| c.is_alphabetic() || matches!(c, '\'' | '"' | '_'))
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '"' | '(' | ')'));
    if is_name { value.to_owned() } else { format!("({value})") }
}
