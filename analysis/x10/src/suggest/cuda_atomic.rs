//! Fix for `CUDAAtomic.add(out(i), x)`, as CUDA writes `atomicAdd(&out[i], x)`: the rail and the index are
//! two arguments.

use apg_syntax::TextRange;

use crate::body::{ExprId, ExprKind};
use crate::diagnostics::{Diagnostic, Fix, TextEdit};
use crate::item_tree::items::qualified_name;
use crate::members::Failure;
use crate::rules::render::RenderContext;

/// Passes the rail and the index where an element is the first of the arguments.
pub(crate) fn element_in_two(
    cx: &RenderContext<'_>,
    mut diagnostic: Diagnostic,
    failure: &Failure,
    args: &[ExprId],
) -> Diagnostic {
    let Some(edits) = edits(cx, failure, args) else { return diagnostic };
    diagnostic.fixes.push(Fix { title: "Pass the rail and the index".to_owned(), edits });
    diagnostic.note("the rail and the index are two arguments: it changes the element, not its value")
}

fn edits(cx: &RenderContext<'_>, failure: &Failure, args: &[ExprId]) -> Option<Vec<TextEdit>> {
    let Failure::NoneFits(all) = failure else { return None };
    let is_atomic =
        all.iter().all(|it| qualified_name(cx.db, it.method.class(cx.db)) == "x10.util.CUDAAtomic");
    let element = cx.expr(*args.first().filter(|_| is_atomic)?)?;
    let ExprKind::Call { method, receiver: Some(rail), args, .. } = &element.kind else { return None };
    let [index] = args[..] else { return None };
    if method.name(cx.db) != "operator()" {
        return None;
    }
    let (rail, index) = (cx.expr(*rail)?.range, cx.expr(index)?.range);
    Some(vec![
        TextEdit::replace(TextRange::new(rail.end(), index.start()), ", "),
        TextEdit::replace(TextRange::new(index.end(), element.range.end()), ""),
    ])
}
