//! Constant folding of integer operations.

use super::walk_mut::{edit_expr, edit_exprs};
use super::*;

/// Folds all expressions of a body.
pub fn fold_body(body: &mut [Stmt]) {
    edit_exprs(body, &mut fold_one);
}

/// Folds an expression.
pub fn fold(expr: &mut Expr) {
    edit_expr(expr, &mut fold_one);
}

fn fold_one(expr: &mut Expr) {
    let ExprKind::Operation { operation, args } = &expr.kind else { return };
    if let Some(value) = integer(*operation, expr.ty, args) {
        expr.kind = ExprKind::Int(value);
    }
}

/// Bits of an integer type, and whether it has a sign.
fn width(ty: Ty) -> Option<(u32, bool)> {
    Some(match ty {
        Ty::I8 => (8, true),
        Ty::I16 => (16, true),
        Ty::I32 => (32, true),
        Ty::I64 => (64, true),
        Ty::U8 => (8, false),
        Ty::U16 => (16, false),
        Ty::U32 => (32, false),
        Ty::U64 => (64, false),
        _ => return None,
    })
}

/// A number wrapped to an integer type.
fn wrapped(value: i64, ty: Ty) -> Option<i64> {
    let (bits, signed) = width(ty)?;
    let shifted = value << (64 - bits);
    Some(if signed { shifted >> (64 - bits) } else { ((shifted as u64) >> (64 - bits)) as i64 })
}

fn integer(operation: Operation, ty: Ty, args: &[Expr]) -> Option<i64> {
    let literal = |expr: &Expr| match expr.kind {
        ExprKind::Int(value) => wrapped(value, expr.ty),
        _ => None,
    };
    let rules = operation.rules();
    let operation = operation.wrapping();
    let value = match args {
        [a] => {
            let a = literal(a)?;
            match operation {
                Operation::Neg if is_checked(rules) => in_type(0, a, ty, |a, b| a - b)?,
                Operation::Convert => a,
                Operation::Neg => a.wrapping_neg(),
                Operation::BitNot => !a,
                _ => return None,
            }
        }
        [a, b] => {
            let (bits, signed) = width(ty).filter(|_| a.ty == ty)?;
            let (a, b) = (literal(a)?, literal(b)?);
            let count = (b as u32) & (bits - 1);
            match operation {
                Operation::Add if is_checked(rules) => in_type(a, b, ty, |a, b| a + b)?,
                Operation::Sub if is_checked(rules) => in_type(a, b, ty, |a, b| a - b)?,
                Operation::Mul if is_checked(rules) => in_type(a, b, ty, |a, b| a * b)?,
                Operation::Div | Operation::Rem if is_checked(rules) && signed && b == -1 => return None,
                Operation::Shl | Operation::Shr if is_checked(rules) && i64::from(count) != b => return None,
                Operation::Add => a.wrapping_add(b),
                Operation::Sub => a.wrapping_sub(b),
                Operation::Mul => a.wrapping_mul(b),
                Operation::Div if b != 0 && signed => a.wrapping_div(b),
                Operation::Rem if b != 0 && signed => a.wrapping_rem(b),
                Operation::Div if b != 0 => ((a as u64) / (b as u64)) as i64,
                Operation::Rem if b != 0 => ((a as u64) % (b as u64)) as i64,
                Operation::And => a & b,
                Operation::Or => a | b,
                Operation::Xor => a ^ b,
                Operation::Shl => a.wrapping_shl(count),
                Operation::Shr if signed => a >> count,
                Operation::Shr => ((a as u64) >> count) as i64,
                Operation::Min if signed => a.min(b),
                Operation::Max if signed => a.max(b),
                _ => return None,
            }
        }
        _ => return None,
    };
    wrapped(value, ty)
}

/// Whether results that do not exist are not computed.
fn is_checked(rules: ArithmeticRules) -> bool {
    matches!(rules, ArithmeticRules::Undefined | ArithmeticRules::Trapping)
}

/// The result of an operation on two numbers of a type, if it is one of the type.
fn in_type(a: i64, b: i64, ty: Ty, operation: impl FnOnce(i128, i128) -> i128) -> Option<i64> {
    let (bits, signed) = width(ty)?;
    let number = |it: i64| if signed { i128::from(it) } else { i128::from(it.cast_unsigned()) };
    let (low, high) = match signed {
        true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        false => (0, (1_i128 << bits) - 1),
    };
    let value = operation(number(a), number(b));
    (low..=high).contains(&value).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operation: Operation, ty: Ty, args: &[(Ty, i64)]) -> Option<i64> {
        let args = args.iter().map(|(ty, value)| Expr::new(*ty, ExprKind::Int(*value))).collect();
        let mut expr = Expr::new(ty, ExprKind::Operation { operation, args });
        fold(&mut expr);
        match expr.kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    #[test]
    fn results_are_those_of_the_type() {
        let int = |value| (Ty::I32, value);
        let max = i64::from(i32::MAX);
        assert_eq!(of(Operation::Add, Ty::I32, &[int(max), int(1)]), Some(i64::from(i32::MIN)));
        assert_eq!(of(Operation::Mul, Ty::I32, &[int(18), int(18)]), Some(324));
        assert_eq!(of(Operation::Div, Ty::I32, &[int(-7), int(2)]), Some(-3));
        assert_eq!(of(Operation::Div, Ty::I32, &[int(1), int(0)]), None);
        assert_eq!(of(Operation::Convert, Ty::I32, &[(Ty::I64, 1 << 32 | 5)]), Some(5));
        assert_eq!(of(Operation::Convert, Ty::I64, &[(Ty::U32, 4_294_967_295)]), Some(4_294_967_295));
        assert_eq!(of(Operation::Convert, Ty::F64, &[int(3)]), None);
        assert_eq!(of(Operation::Sub, Ty::U32, &[(Ty::U32, 0), (Ty::U32, 1)]), Some(4_294_967_295));
        assert_eq!(of(Operation::Shl, Ty::I32, &[int(1), (Ty::I64, 33)]), Some(2));
        assert_eq!(of(Operation::Shr, Ty::I64, &[(Ty::I64, -8), (Ty::I64, 1)]), Some(-4));
        assert_eq!(of(Operation::Div, Ty::U64, &[(Ty::U64, -1), (Ty::U64, 2)]), Some(i64::MAX));
        assert_eq!(of(Operation::AddUndefined, Ty::I32, &[int(max), int(1)]), None);
        assert_eq!(of(Operation::AddTrapping, Ty::I32, &[int(max), int(-1)]), Some(max - 1));
        assert_eq!(of(Operation::NegUndefined, Ty::I32, &[int(i64::from(i32::MIN))]), None);
        assert_eq!(of(Operation::NegUndefined, Ty::I32, &[int(max)]), Some(-max));
        assert_eq!(of(Operation::SubTrapping, Ty::U32, &[(Ty::U32, 0), (Ty::U32, 1)]), None);
        assert_eq!(of(Operation::MulUndefined, Ty::I64, &[(Ty::I64, 1 << 62), (Ty::I64, 2)]), None);
        assert_eq!(of(Operation::AddTrapping, Ty::U64, &[(Ty::U64, -2), (Ty::U64, 1)]), Some(-1));
        assert_eq!(of(Operation::DivUndefined, Ty::I32, &[int(-7), int(-1)]), None);
        assert_eq!(of(Operation::ShlUndefined, Ty::I32, &[int(1), int(33)]), None);
        assert_eq!(of(Operation::ShrUndefined, Ty::I32, &[int(-8), int(2)]), Some(-2));
        // Comparisons and floating-point operations are not folded.
        assert_eq!(of(Operation::Lt, Ty::Bool, &[int(1), int(2)]), None);
    }
}
