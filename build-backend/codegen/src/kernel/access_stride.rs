//! Strides of memory accesses between adjacent threads.
//!
//! Where each thread accesses several consecutive elements of its own, vectorisation over threads would
//! gather. Such regions run thread after thread, which accesses memory in order.

use rustc_hash::FxHashSet;

use super::regions::RegionTree;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Coefficient of a thread index in an affine integer expression; `None` if it is not affine.
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

/// Whether all accesses of captured rails in these statements have a stride of several elements between
/// adjacent threads.
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
