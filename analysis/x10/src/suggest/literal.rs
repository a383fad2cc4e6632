//! Literals of other types: how a number is written, and the fix that changes a literal's suffix.

use crate::body::{ExprId, ExprKind, Literal};
use crate::diagnostics::Fix;
use crate::rules::render::RenderContext;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The literal with another suffix, where a number of type `to` is needed.
pub(crate) fn literal_fix(cx: &RenderContext<'_>, id: ExprId, to: Ty) -> Option<Fix> {
    let known = to.primitive(cx.db)?;
    let literal = cx.expr(id)?;
    let ExprKind::Literal(value) = &literal.kind else { return None };
    let text = literal_of(value, known)?;
    // What is wrong with a literal of that type already is its value, not how it is written.
    if literal.ty.primitive(cx.db) == Some(known) {
        return None;
    }
    Some(Fix::replace(format!("Write `{text}`"), literal.range, text))
}

/// The value of a literal, as it is written.
pub(crate) fn literal_text(cx: &RenderContext<'_>, id: ExprId) -> Option<String> {
    let literal = cx.expr(id)?;
    let ExprKind::Literal(value) = &literal.kind else { return None };
    literal_of(value, literal.ty.primitive(cx.db)?)
}

/// How a literal of a value is written for the type `known`.
pub(crate) fn literal_of(literal: &Literal, known: Known) -> Option<String> {
    let suffix = match known {
        Known::Byte => "y",
        Known::Short => "s",
        Known::Int => "n",
        Known::Long => "",
        Known::UByte => "uy",
        Known::UShort => "us",
        Known::UInt => "un",
        Known::ULong => "u",
        Known::Float => ".0f",
        Known::Double => ".0",
        _ => return None,
    };
    match literal {
        Literal::Int(value) => literal_fits(*value, known).then(|| format!("{value}{suffix}")),
        Literal::Float(bits) if known == Known::Float => {
            let value = f64::from_bits(*bits);
            (value as f32).is_finite().then(|| format!("{value:?}f"))
        }
        _ => None,
    }
}

/// Whether the number of a literal is one of the type `known`.
pub(crate) fn literal_fits(value: i64, known: Known) -> bool {
    match known.size().filter(|_| known.is_integer()) {
        None => true,
        Some(8..) => !known.is_unsigned() || value >= 0,
        Some(bytes) if known.is_unsigned() => (0..1i64 << (8 * bytes)).contains(&value),
        Some(bytes) => (-(1i64 << (8 * bytes - 1))..1i64 << (8 * bytes - 1)).contains(&value),
    }
}
