//! Construction of the expressions of guards, with constants folded.

use apg_mir::*;

use crate::values::strip_unchecked_casts;

/// An expression without a span.
pub(super) fn expr(ty: Ty, kind: ExprKind) -> Expr {
    Expr::new(ty, kind)
}

/// An `I64` constant.
pub(super) fn int(value: i64) -> Expr {
    expr(Ty::I64, ExprKind::Int(value))
}

/// The value of a constant.
pub(super) fn constant(value: &Expr) -> Option<i64> {
    match value.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

/// An integer operation.
pub(super) fn operation(operation: Operation, ty: Ty, args: Vec<Expr>) -> Expr {
    if let [a, b] = args.as_slice() {
        let simpler = match (operation, constant(a), constant(b)) {
            (Operation::Add, Some(0), _) | (Operation::Mul, Some(1), _) => Some(b),
            (Operation::Add | Operation::Sub, _, Some(0)) | (Operation::Mul, _, Some(1)) => Some(a),
            (Operation::Mul, Some(0), _) => Some(a),
            (Operation::Mul, _, Some(0)) => Some(b),
            (Operation::Add, None, Some(c)) => addend(a, Operation::Sub, c),
            (Operation::Sub, None, Some(c)) => addend(a, Operation::Add, c),
            _ => None,
        };
        if let Some(simpler) = simpler.filter(|it| it.ty == ty) {
            return simpler.clone();
        }
    }
    let mut value = expr(ty, ExprKind::Operation { operation, args });
    fold::fold(&mut value);
    value
}

/// `x` of `x op c`.
fn addend(value: &Expr, op: Operation, c: i64) -> Option<&Expr> {
    let ExprKind::Operation { operation, args } = &value.kind else { return None };
    match args.as_slice() {
        [x, by] if *operation == op && constant(by) == Some(c) => Some(x),
        _ => None,
    }
}

/// `a + b`, wrapping.
pub(super) fn sum(a: Expr, b: Expr) -> Expr {
    operation(Operation::Add, Ty::I64, vec![a, b])
}

/// `a * b`, wrapping.
pub(super) fn product(a: Expr, b: Expr) -> Expr {
    operation(Operation::Mul, Ty::I64, vec![a, b])
}

/// `-a`, wrapping.
pub(super) fn negation(a: Expr) -> Expr {
    operation(Operation::Neg, Ty::I64, vec![a])
}

/// An integer as `I64`.
pub(super) fn long(value: Expr) -> Expr {
    if value.ty == Ty::I64 { value } else { operation(Operation::Convert, Ty::I64, vec![value]) }
}

/// A comparison of `I64`s.
pub(super) fn compare(op: Operation, a: &Expr, b: &Expr) -> Expr {
    let known = constant(a).zip(constant(b)).and_then(|(a, b)| match op {
        Operation::Ge => Some(a >= b),
        Operation::Le => Some(a <= b),
        Operation::Lt => Some(a < b),
        _ => None,
    });
    match known {
        Some(known) => expr(Ty::Bool, ExprKind::Int(known.into())),
        None => {
            let args = vec![a.clone(), b.clone()];
            expr(Ty::Bool, ExprKind::Operation { operation: op, args })
        }
    }
}

/// `!condition`
pub(super) fn negation_of(condition: Expr) -> Expr {
    match condition.kind {
        ExprKind::Operation { operation: Operation::Not, mut args } if args.len() == 1 => args.remove(0),
        _ => operation(Operation::Not, Ty::Bool, vec![condition]),
    }
}

/// `a && b`
pub(super) fn and(a: Expr, b: Expr) -> Expr {
    expr(Ty::Bool, ExprKind::And(Box::new(a), Box::new(b)))
}

/// `object != null`
pub(super) fn not_null(object: &Expr) -> Expr {
    let object = strip_unchecked_casts(object);
    let args = vec![object.clone(), expr(object.ty, ExprKind::Null)];
    expr(Ty::Bool, ExprKind::Operation { operation: Operation::Ne, args })
}

/// The length of an array that is not null.
pub(super) fn length(rail: Expr) -> Expr {
    expr(Ty::I64, ExprKind::Length { rail: Box::new(rail), checked: false })
}

/// Number of expressions in an expression.
pub(super) fn size(value: &Expr) -> usize {
    let mut count = 0;
    walk::visit_expr(value, None, &mut |_, _| count += 1);
    count
}
