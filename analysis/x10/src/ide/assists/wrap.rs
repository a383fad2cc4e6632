//! Assist: surround selected statements with `finish`, `async`, `at` or `atomic`.

use apg_syntax::TextRange;

use super::lines::{STEP, indentation, indented};
use super::{Assist, AssistContext, AssistKind, selection};
use crate::body::Owner;

/// The constructs to surround code with, and their heads.
const AROUND: &[(&str, &str)] = &[
    ("finish", "finish"),
    ("async", "async"),
    ("finish async", "finish async"),
    ("at (...)", "at (here)"),
    ("atomic", "atomic"),
];

pub(super) fn wrap(ctx: &AssistContext<'_>) -> Vec<Assist> {
    let Some(statements) = selection::statements(ctx) else { return Vec::new() };
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return Vec::new() };
    let range = TextRange::new(first.text_range().start(), last.text_range().end());
    let Some((owner, body, locals)) = selection::locals(ctx, range) else { return Vec::new() };
    // A local declared inside would not be in scope after it.
    if !locals.outgoing.is_empty() || selection::in_kernel(first) {
        return Vec::new();
    }
    let jumps = selection::jumps_out(&statements);
    let uses_var = !locals.assigned.is_empty() || locals.used.iter().any(|local| body.local(*local).mutable);
    let is_parallel =
        selection::has_word(&statements, &["async", "at", "ateach", "finish", "when", "atomic"]);
    // An object under construction cannot be shared yet.
    let constructs = matches!(owner, Owner::Method(m) if m.name(ctx.db) == "this");
    let fits = |title: &str| match title {
        "async" | "finish async" | "at (...)" if constructs => false,
        // An activity cannot jump out, nor share a `var` with code that does not wait for it.
        "async" => !jumps && !uses_var,
        "finish async" => !jumps,
        "at (...)" => !jumps && !uses_var,
        "atomic" => !is_parallel,
        _ => true,
    };
    let text = &ctx.text()[range];
    let indent = indentation(ctx.text(), range.start());
    let assist = |(title, head): &(&str, &str)| {
        let inner = indented(text);
        Assist {
            title: format!("Wrap in `{title}`"),
            kind: AssistKind::Rewrite,
            edits: vec![ctx.edit(range, format!("{head} {{\n{indent}{STEP}{inner}\n{indent}}}"))],
        }
    };
    AROUND.iter().filter(|(title, _)| fits(title)).map(assist).collect()
}
