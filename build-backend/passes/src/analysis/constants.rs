//! Evaluation of constant integer expressions.

use apg_mir::*;

/// Value of an integer constant expression.
pub fn constant_value(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Operation { operation: Operation::Convert, args } => constant_value(args.first()?),
        ExprKind::Operation { operation, args } => {
            let (a, b) = (constant_value(args.first()?)?, constant_value(args.get(1)?)?);
            match operation {
                Operation::Add => a.checked_add(b),
                Operation::Sub => a.checked_sub(b),
                Operation::Mul => a.checked_mul(b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Number of threads of a block, if it is constant and positive.
pub fn constant_block_size(kernel: &Kernel) -> Option<i64> {
    kernel.host.threads.iter().try_fold(1_i64, |size, extent| {
        constant_value(extent).filter(|it| *it > 0).map(|it| size.saturating_mul(it))
    })
}
