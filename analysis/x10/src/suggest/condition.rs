//! Conditions that are no `Boolean`: a comparison instead of an assignment, or with zero or `null`.

use crate::body::{ExprId, ExprKind, Literal};
use crate::diagnostics::{Diagnostic, Fix};
use crate::rules::render::RenderContext;
use crate::ty::known::Known;

/// Adds to the error that the condition `id` is no `Boolean` what was probably meant. `has_null`: its type
/// has `null`.
pub(crate) fn explain_condition(
    cx: &RenderContext<'_>,
    id: ExprId,
    has_null: bool,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let Some(condition) = cx.expr(id) else { return diagnostic };
    let range = condition.range;
    let replaced = |diagnostic: Diagnostic, text: String| {
        let title = format!("Write `{text}`");
        diagnostic.fix(Fix::replace(title, range, text))
    };
    let Some(written) = cx.source(range) else { return diagnostic };
    // An element is set by a call.
    let sets = match &condition.kind {
        ExprKind::Assign { .. } => true,
        ExprKind::Call { method, .. } => method.name(cx.db) == "operator()=",
        _ => false,
    };
    if sets {
        let diagnostic = diagnostic.note("`=` assigns, `==` compares");
        return match written.split_once('=') {
            // `x += 1` is no comparison.
            Some((left, right))
                if left.ends_with(|c: char| c.is_whitespace() || c == ')' || c.is_alphanumeric()) =>
            {
                replaced(diagnostic, format!("{left}=={right}"))
            }
            _ => diagnostic,
        };
    }
    let zero = match condition.ty.primitive(cx.db) {
        Some(Known::Float) => "0.0f",
        Some(Known::Double) => "0.0",
        Some(Known::Long) => "0",
        Some(Known::Int) => "0n",
        Some(Known::Short) => "0s",
        Some(Known::Byte) => "0y",
        Some(Known::ULong) => "0u",
        Some(Known::UInt) => "0un",
        Some(Known::UShort) => "0us",
        Some(Known::UByte) => "0uy",
        Some(_) => return diagnostic,
        None if has_null => "null",
        None => return diagnostic,
    };
    match condition.kind {
        ExprKind::Literal(Literal::Int(value)) => {
            return replaced(diagnostic.note("numbers are no conditions"), (value != 0).to_string());
        }
        ExprKind::Literal(_) => return diagnostic,
        _ => {}
    }
    let note = format!("X10 converts nothing to a `Boolean`: compare it with `{zero}`");
    let simple = written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')' | ','));
    match simple {
        true => replaced(diagnostic.note(note), format!("{written} != {zero}")),
        false => diagnostic.note(note),
    }
}
