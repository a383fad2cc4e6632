//! Conditions that are no `Boolean`: what was probably meant.

use super::ctx::Infer;
use crate::body::{ExprId, ExprKind};
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::ty::known::Known;

impl Infer<'_> {
    /// Adds to the error that the condition `id` is no `Boolean` what may have been meant.
    pub(super) fn explain_condition(&self, id: ExprId, diagnostic: Diagnostic) -> Diagnostic {
        let range = self.range(id);
        let replaced = |diagnostic: Diagnostic, text: String| {
            let title = format!("Write `{text}`");
            diagnostic.fix(Fix { title, edits: vec![TextEdit { file: None, range, text }] })
        };
        let Some(written) = self.source(range) else { return diagnostic };
        if matches!(self.body.expr(id).kind, ExprKind::Assign { .. }) {
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
        let ty = self.ty(id);
        let zero = match ty.primitive(self.db) {
            Some(Known::Float) => "0.0f",
            Some(Known::Double) => "0.0",
            Some(known) if known.is_integer() && known.is_unsigned() => "0u",
            Some(Known::Int) => "0n",
            Some(known) if known.is_integer() => "0",
            Some(_) => return diagnostic,
            None if self.context().has_null(ty) => "null",
            None => return diagnostic,
        };
        if let ExprKind::Literal(_) = self.body.expr(id).kind {
            let text =
                if written.trim_matches(|c: char| !c.is_ascii_digit()) == "0" { "false" } else { "true" };
            return replaced(diagnostic.note("numbers are no conditions"), text.to_owned());
        }
        let note = format!("X10 converts nothing to a `Boolean`: compare it with `{zero}`");
        let simple = written.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')' | ','));
        match simple {
            true => replaced(diagnostic.note(note), format!("{written} != {zero}")),
            false => diagnostic.note(note),
        }
    }
}
