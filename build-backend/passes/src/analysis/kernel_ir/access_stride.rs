//! Strides of memory accesses between adjacent threads.
//!
//! Where each thread accesses several consecutive elements of its own, vectorisation over threads would
//! gather. Such regions run thread after thread, which accesses memory in order.

use rustc_hash::FxHashSet;

use crate::analysis::affine::{Term, linear_coefficient};
use crate::kernel_ir::KernelIr;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;

/// Coefficient of a thread index in an affine integer expression; `None` if it is not affine.
pub(crate) fn thread_stride(
    ir: &KernelIr,
    uniform: &FxHashSet<LocalId>,
    axis: LocalId,
    expr: &Expr,
) -> Option<i64> {
    linear_coefficient(expr, &|it| match &it.kind {
        _ if ir.is_uniform(it, uniform) => Term::Coefficient(0),
        ExprKind::Local(local) if ir.kernel.thread_locals.contains(local) => {
            Term::Coefficient(i64::from(local == &axis))
        }
        ExprKind::Local(local) => {
            let value = ir.rematerialized_value(*local);
            let stride = value.and_then(|it| thread_stride(ir, uniform, axis, it));
            stride.map_or(Term::Unknown, Term::Coefficient)
        }
        _ => Term::Compound,
    })
}

/// Whether all accesses of captured rails in these statements have a stride of several elements between
/// adjacent threads.
pub(crate) fn is_strided(ir: &KernelIr, uniform: &FxHashSet<LocalId>, stmts: &[Stmt]) -> bool {
    let (mut any, mut all) = (false, true);
    let captures = ir.kernel.captures.len();
    let Some(fastest) = ir.kernel.thread_locals.last().copied() else { return false };
    let mut access = |rail: &Expr, index: &Expr| {
        let ExprKind::Local(local) = rail.kind else { return };
        if local.index() < captures {
            any = true;
            all &= thread_stride(ir, uniform, fastest, index).is_some_and(|it| it.unsigned_abs() > 1);
        }
    };
    visit_stmts(stmts, &mut |it| {
        if let StmtKind::SetElement { rail, index, .. } = &it.kind {
            access(rail, index);
        }
    });
    visit_exprs(stmts, &mut |it, _| match &it.kind {
        ExprKind::Element { rail, index, .. } | ExprKind::Atomic { rail, index, .. } => access(rail, index),
        _ => {}
    });
    any && all
}
