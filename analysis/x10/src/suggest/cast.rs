//! Fixes that convert a value by a cast.

use crate::body::ExprId;
use crate::diagnostics::Fix;
use crate::rules::render::RenderContext;
use crate::ty::Ty;

/// A cast of the value `id` to `to`.
pub(crate) fn cast_fix(cx: &RenderContext<'_>, id: ExprId, to: Ty) -> Option<Fix> {
    let range = cx.expr(id)?.range;
    let text = cx.source(range)?;
    let mut nameless = false;
    to.visit_paths(cx.db, &mut |path| nameless |= path.is_nameless());
    if nameless || text.is_empty() {
        return None;
    }
    let plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let target = cx.show(to);
    let text = if plain { format!("{text} as {target}") } else { format!("({text}) as {target}") };
    Some(Fix::replace(format!("Cast to `{target}`"), range, text))
}
