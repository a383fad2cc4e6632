//! Expressions seen through checks and casts, and small questions about functions.

use apg_mir::{ClassId, Expr, ExprKind, Function, LocalId};

/// Whether a function runs on hosts only.
pub(crate) fn is_host_code(function: &Function) -> bool {
    !function.device && !function.kernel_only
}

/// The expression below null checks and casts, checked or not.
pub(crate) fn strip_checks(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => strip_checks(value),
        _ => expr,
    }
}

/// As [`strip_checks`], mutable.
pub(crate) fn strip_checks_mut(expr: &mut Expr) -> &mut Expr {
    match expr.kind {
        ExprKind::NonNull(_) | ExprKind::Cast { .. } => match &mut expr.kind {
            ExprKind::NonNull(value) | ExprKind::Cast { value, .. } => strip_checks_mut(value),
            _ => unreachable!("matched just before"),
        },
        _ => expr,
    }
}

/// The expression below casts that do nothing at run time.
pub(crate) fn strip_unchecked_casts(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast { value, checked: false, .. } => strip_unchecked_casts(value),
        _ => expr,
    }
}

/// Whether evaluation of null checks and casts around a reference can raise an exception.
pub(crate) fn has_checks(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::NonNull(_) | ExprKind::Cast { checked: true, .. } => true,
        ExprKind::Cast { value, .. } => has_checks(value),
        _ => false,
    }
}

/// Whether this is the first parameter: in the code of a closure, the closure itself.
pub(crate) fn is_closure_parameter(expr: &Expr) -> bool {
    matches!(strip_checks(expr).kind, ExprKind::Local(LocalId(0)))
}

/// The class of a new object.
pub(crate) fn allocated_class(expr: &Expr) -> Option<ClassId> {
    match &expr.kind {
        ExprKind::Allocate(class)
        | ExprKind::MakeObject { class, .. }
        | ExprKind::AllocateRail { class, .. }
        | ExprKind::TableRail { class, .. } => Some(*class),
        _ => None,
    }
}
