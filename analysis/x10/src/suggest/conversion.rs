//! Conversions by a call where none happens by itself: `s` where an `Int` is needed is `Int.parse(s)`.

use apg_syntax::TextRange;

use super::literal::literal_of;
use crate::body::{ExprId, Literal};
use crate::diagnostics::{Diagnostic, Fix};
use crate::rules::render::RenderContext;
use crate::ty::Ty;
use crate::ty::known::Known;

/// Adds the call that converts the value `id` to `to`, and writes it in place of `range`: of the value, or
/// of a cast of it.
pub(crate) fn with_conversion(
    cx: &RenderContext<'_>,
    diagnostic: &Diagnostic,
    id: ExprId,
    to: Ty,
    range: TextRange,
) -> Option<Diagnostic> {
    let value = cx.expr(id)?;
    let text = cx.source(value.range).filter(|it| !it.is_empty())?;
    let (text, note) = conversion(cx, value.ty, to, &text)?;
    Some(replaced(diagnostic.clone().note(format!("{note}: `{text}`")), range, text))
}

/// The diagnostic with a fix that writes `text` in place of `range`.
pub(crate) fn replaced(diagnostic: Diagnostic, range: TextRange, text: String) -> Diagnostic {
    diagnostic.fix(Fix::replace(format!("Replace by `{text}`"), range, text))
}

fn conversion(cx: &RenderContext<'_>, from: Ty, to: Ty, value: &str) -> Option<(String, &'static str)> {
    let (db, from, to) = (cx.db, from.base(cx.db), to.base(cx.db));
    let (a, b) = (from.primitive(db), to.primitive(db));
    let shown = cx.show(to);
    let is_number = |known: Option<Known>| known.is_some_and(Known::is_number);
    if from.is_known(db, Known::String) && (is_number(b) || b == Some(Known::Boolean)) {
        return Some((format!("{shown}.parse({value})"), "values are read from text"));
    }
    if to.is_known(db, Known::String) && a.is_some() {
        return Some((format!("{}.toString()", operand(value)), "text is made of a value"));
    }
    if to.is_known(db, Known::Place) && is_number(a) {
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

/// A value as the operand of what follows it.
pub(crate) fn operand(value: &str) -> String {
    let is_name = value.starts_with(|c: char| c.is_alphabetic() || matches!(c, '\'' | '"' | '_'))
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '"' | '(' | ')'));
    if is_name { value.to_owned() } else { format!("({value})") }
}
