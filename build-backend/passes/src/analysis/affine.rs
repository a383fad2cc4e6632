//! Linear coefficients of affine integer expressions (Aho, Lam, Sethi and Ullman, *Compilers*, 11.3).

use crate::analysis::constants::constant_value;
use apg_mir::*;

/// The classification of a subexpression.
pub(crate) enum Term {
    /// The subexpression has this coefficient.
    Coefficient(i64),
    /// The subexpression is not affine, or unknown.
    Unknown,
    /// The coefficient follows from the operands.
    Compound,
}

/// The coefficient of a variable in an expression; `None` if the expression is not affine in the variable.
/// `classify` recognises the variable in subexpressions.
pub(crate) fn linear_coefficient(expr: &Expr, classify: &dyn Fn(&Expr) -> Term) -> Option<i64> {
    match classify(expr) {
        Term::Coefficient(value) => return Some(value),
        Term::Unknown => return None,
        Term::Compound => {}
    }
    let of = |expr: &Expr| linear_coefficient(expr, classify);
    match &expr.kind {
        ExprKind::Int(_) => Some(0),
        ExprKind::Operation { operation, args } => match (operation, args.as_slice()) {
            (Operation::Convert, [value]) => of(value),
            (Operation::Add, [a, b]) => of(a)?.checked_add(of(b)?),
            (Operation::Sub, [a, b]) => of(a)?.checked_sub(of(b)?),
            (Operation::Mul, [a, b]) => match (constant_value(a), constant_value(b), of(a)?, of(b)?) {
                (_, _, 0, 0) => Some(0),
                (Some(factor), _, _, other) | (_, Some(factor), other, _) => other.checked_mul(factor),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
