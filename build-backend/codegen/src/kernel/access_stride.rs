//! How far apart neighbouring threads are in memory. Where each has elements of its own, several in a row, there is nothing that threads could
//! read together: one after the other they go through memory in order, and loops of known length become plain code.

use rustc_hash::FxHashSet;

use super::regions::RegionTree;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// The factor of a thread's index on an axis in an integer; none if it is not known.
pub fn thread_stride(
    tree: &RegionTree<'_>,
    uniform: &FxHashSet<LocalId>,
    axis: LocalId,
    expr: &Expr,
) -> Option<i64> {
    let of = |expr: &Expr| thread_stride(tree, uniform, axis, expr);
    if tree.is_uniform(expr, uniform) {
        return Some(0);
    }
    match &expr.kind {
        ExprKind::Local(local) => {
            if tree.kernel().thread_locals.contains(local) {
                return Some(i64::from(*local == axis));
            }
            of(tree.rematerialized.iter().find(|it| it.local == *local)?.value)
        }
        ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
            (Operation::Convert, [value]) => of(value),
            (Operation::Add, [a, b]) => of(a)?.checked_add(of(b)?),
            (Operation::Sub, [a, b]) => of(a)?.checked_sub(of(b)?),
            (Operation::Mul, [a, b]) => match (super::constant(a), super::constant(b)) {
                (Some(number), _) => of(b)?.checked_mul(number),
                (_, Some(number)) => of(a)?.checked_mul(number),
                _ => (of(a)? == 0 && of(b)? == 0).then_some(0),
            },
            _ => None,
        },
        _ => None,
    }
}

/// Whether all that threads read and write of captured rails in these statements is several elements apart from what their neighbours do.
pub fn is_strided(tree: &RegionTree<'_>, uniform: &FxHashSet<LocalId>, stmts: &[&Stmt]) -> bool {
    let (mut any, mut all) = (false, true);
    let captures = tree.kernel().captures.len();
    let Some(fastest) = tree.kernel().thread_locals.last().copied() else { return false };
    let mut access = |rail: &Expr, index: &Expr| {
        let ExprKind::Local(local) = rail.kind else { return };
        if local.index() < captures {
            any = true;
            all &= thread_stride(tree, uniform, fastest, index).is_some_and(|it| it.unsigned_abs() > 1);
        }
    };
    for stmt in stmts {
        let list = std::slice::from_ref(*stmt);
        visit_stmts(list, &mut |it| {
            if let StmtKind::SetElement { rail, index, .. } = &it.kind {
                access(rail, index);
            }
        });
        visit_exprs(list, &mut |it, _| match &it.kind {
            ExprKind::Element { rail, index, .. } | ExprKind::Atomic { rail, index, .. } => {
                access(rail, index)
            }
            _ => {}
        });
    }
    any && all
}
