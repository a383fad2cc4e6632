//! Rails with a negative constant size.

use super::FlowContext;
use crate::body::walk::Node;
use crate::body::{Body, ExprId, ExprKind, Literal};
use crate::infer::constant;
use crate::rules::Problem;
use crate::rules::flow::negative_size::NegativeSize;
use crate::ty::Ty;

/// The problems of one body.
pub(super) fn check(context: &FlowContext<'_>, body: &Body) -> Vec<Problem> {
    let lengths = body.exprs.iter().filter_map(|expr| rail_length(context, &expr.kind));
    lengths
        .filter_map(|rail_length| {
            let Some(Literal::Int(count @ ..0)) = constant_size(context, body, rail_length) else {
                return None;
            };
            Some(Problem::new(body.expr(rail_length).range, NegativeSize { count }))
        })
        .collect()
}

/// The length argument of `new Rail[T](length)`.
fn rail_length(context: &FlowContext<'_>, kind: &ExprKind) -> Option<ExprId> {
    let ExprKind::New { class, args, .. } = kind else { return None };
    let is_rail = Ty::this_type(context.db, *class).rail_element(context.db).is_some();
    let first = *args.first().filter(|_| is_rail)?;
    Some(first)
}

/// The value of an expression without names: evaluating names could depend on other code.
fn constant_size(context: &FlowContext<'_>, body: &Body, id: ExprId) -> Option<Literal> {
    let mut is_own = body.expr(id).ty.base(context.db) == Ty::long(context.db);
    body.walk(Node::Expr(id), &mut |node| {
        is_own &= matches!(node, Node::Expr(id) if matches!(body.expr(id).kind,
            ExprKind::Literal(_) | ExprKind::Coerce { .. } | ExprKind::Cast { .. } | ExprKind::Call { .. }));
        is_own
    });
    is_own.then(|| constant::value(context.db, body, id))?
}
