//! Strides of memory accesses between adjacent threads.
//!
//! Where each thread accesses several consecutive elements of its own, vectorisation over threads would
//! gather. Such regions run thread after thread, which accesses memory in order.

use rustc_hash::FxHashSet;

use crate::analysis::affine::{Term, invariant_form, linear_form};
use crate::kernel_ir::KernelIr;
use apg_mir::walk::{visit_exprs, visit_stmts};
use apg_mir::*;
use apg_symbolic::LinearForm;

/// Coefficient of a thread index in an affine integer expression; `None` if it is not affine.
pub(crate) fn thread_stride(
    ir: &KernelIr,
    uniform: &FxHashSet<LocalId>,
    axis: LocalId,
    expr: &Expr,
) -> Option<i64> {
    thread_form(ir, uniform, axis, expr)?.slope(&())
}

/// Affine form over a thread index.
fn thread_form(
    ir: &KernelIr,
    uniform: &FxHashSet<LocalId>,
    axis: LocalId,
    expr: &Expr,
) -> Option<LinearForm<()>> {
    linear_form(expr, &|it| match &it.kind {
        _ if ir.is_uniform(it, uniform) => Term::Form(invariant_form(it)),
        ExprKind::Local(local) if *local == axis => Term::Form(LinearForm::variable(())),
        ExprKind::Local(local) if ir.kernel.thread_locals.contains(local) => {
            Term::Form(LinearForm::invariant(None))
        }
        ExprKind::Local(local) => {
            let value = ir.rematerialized_value(*local);
            Term::of(value.and_then(|it| thread_form(ir, uniform, axis, it)))
        }
        _ => Term::Compound,
    })
}

/// Whether all accesses of captured arrays in these statements have a stride of several elements between
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
