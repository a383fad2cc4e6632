//! Rails whose size is written out, and negative.

use super::Facts;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, Literal};
use crate::diagnostics::{Diagnostic, flow as rules};
use crate::infer::constant;
use crate::ty::Ty;

/// The warnings of one body.
pub(super) fn check(facts: &Facts<'_>, body: &Body) -> Vec<Diagnostic> {
    let made = body.exprs.iter().filter_map(|expr| size(facts, &expr.kind));
    made.filter_map(|size| {
        let Some(Literal::Int(count @ ..0)) = known(facts, body, size) else { return None };
        let diagnostic = rules::negative_size::RULE
            .at(body.expr(size).range, format!("a rail cannot have {count} elements"))
            .note("a NegativeArraySizeException is raised here when the program runs");
        Some(diagnostic)
    })
    .collect()
}

/// The number of elements that `new Rail[T](size)` is given.
fn size(facts: &Facts<'_>, kind: &ExprKind) -> Option<ExprId> {
    let ExprKind::New { class, args, .. } = kind else { return None };
    let is_rail = Ty::this_type(facts.db, *class).rail_element(facts.db).is_some();
    let first = *args.first().filter(|_| is_rail)?;
    Some(first)
}

/// The value of an expression, if the code itself says it: fields are left alone, as what they hold would be looked up in other code.
fn known(facts: &Facts<'_>, body: &Body, id: ExprId) -> Option<Literal> {
    let mut is_own = body.expr(id).ty.base(facts.db) == Ty::long(facts.db);
    body.walk(Node::Expr(id), &mut |node| {
        is_own &= matches!(node, Node::Expr(id) if matches!(body.expr(id).kind,
            ExprKind::Literal(_) | ExprKind::Coerce { .. } | ExprKind::Cast { .. } | ExprKind::Call { .. }));
        is_own
    });
    is_own.then(|| constant::value(facts.db, body, id))?
}
