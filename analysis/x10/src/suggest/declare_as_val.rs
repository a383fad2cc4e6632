//! Fix for a captured `var` that nothing assigns: declare it as `val`.

use super::declaration_keyword;
use crate::body::{AssignTarget, ExprKind, LocalId};
use crate::diagnostics::Fix;
use crate::rules::render::RenderContext;

/// Declares an unassigned `var` as `val`.
pub(crate) fn declare_as_val(cx: &RenderContext<'_>, local: LocalId) -> Option<Fix> {
    let body = cx.body()?;
    let is_assigned = body.exprs.iter().any(
        |it| matches!(it.kind, ExprKind::Assign { target: AssignTarget::Local(target), .. } if target == local),
    );
    if !body.local(local).mutable || is_assigned {
        return None;
    }
    let title = format!("Declare `{}` as `val`", body.local(local).name);
    Some(Fix::replace(title, declaration_keyword(cx, local)?, "val"))
}
