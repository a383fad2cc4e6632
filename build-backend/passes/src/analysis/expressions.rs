//! Properties of expressions.

use crate::analysis::ranges::is_wide;
use apg_mir::walk::visit_expr;
use apg_mir::*;

/// Whether the evaluation of a value has no effect and cannot fail.
pub(crate) fn is_total(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Local(_) | ExprKind::Length { checked: false, .. } => true,
        ExprKind::StructField { value, .. } => matches!(value.kind, ExprKind::Local(_)),
        ExprKind::Operation { operation, args } => {
            matches!(operation, Operation::Add | Operation::Sub | Operation::Mul | Operation::Convert)
                && args.iter().all(|it| matches!(it.ty, Ty::I32 | Ty::I64) && is_total(it))
        }
        _ => false,
    }
}

/// Whether a value can be evaluated where the program does not: that has no effect and cannot raise.
pub(crate) fn is_speculatable(value: &Expr) -> bool {
    let mut total = true;
    visit_expr(value, None, &mut |it, _| {
        total &= match &it.kind {
            ExprKind::Operation { operation, .. } => !operation.may_fail(),
            ExprKind::Local(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Zero => true,
            ExprKind::StructField { .. } | ExprKind::Length { .. } => true,
            _ => false,
        }
    });
    total
}

/// Whether two arithmetic expressions are structurally equal.
pub(crate) fn is_same_expr(a: &Expr, b: &Expr) -> bool {
    let all = |a: &[Expr], b: &[Expr]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_expr(a, b));
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Local(a), ExprKind::Local(b)) => a == b,
            (
                ExprKind::Element { rail: a, index: first, .. },
                ExprKind::Element { rail: b, index: second, .. },
            ) => is_same_expr(a, b) && is_same_expr(first, second),
            (
                ExprKind::Operation { operation: a, args: first },
                ExprKind::Operation { operation: b, args: second },
            ) => a == b && all(first, second),
            _ => false,
        }
}

/// Size of a scalar in bytes.
pub(crate) fn scalar_bytes(ty: Ty) -> Option<i64> {
    match ty {
        Ty::Bool | Ty::I8 | Ty::U8 => Some(1),
        Ty::I16 | Ty::U16 | Ty::Char => Some(2),
        Ty::I32 | Ty::U32 | Ty::F32 => Some(4),
        Ty::I64 | Ty::U64 | Ty::F64 => Some(8),
        _ => None,
    }
}

/// The only value that these statements assign to a local.
pub(crate) fn single_value(stmts: &[Stmt], local: LocalId) -> Option<&Expr> {
    let mut values = stmts.iter().filter_map(|it| match &it.kind {
        StmtKind::Set { local: id, value } if *id == local => Some(value),
        _ => None,
    });
    values.next().filter(|_| values.next().is_none())
}

/// Whether a value consists of locals, constants and operations that can be done with 64 bits.
pub(crate) fn is_widenable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Local(_) => true,
        ExprKind::Operation { operation, args } => {
            is_wide(*operation, expr.ty, args) && args.iter().all(is_widenable)
        }
        _ => false,
    }
}
