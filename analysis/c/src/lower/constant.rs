//! Constant expressions (C17 6.6).

use crate::hir::{BinaryOp, ExprId, ExprKind, Program, Type, UnaryOp};

impl Program {
    /// The value of an integer constant expression; `None` if it is not one.
    pub fn constant(&self, expr: ExprId) -> Option<i128> {
        let expr = self.expr(expr);
        let value = match &expr.kind {
            ExprKind::Integer(value) => *value,
            ExprKind::Unary(op, operand) => {
                let value = self.constant(*operand)?;
                match op {
                    UnaryOp::Plus => value,
                    UnaryOp::Minus => value.checked_neg()?,
                    UnaryOp::Complement => !value,
                    UnaryOp::Not => i128::from(value == 0),
                }
            }
            ExprKind::Binary(op, left, right) => {
                binary(*op, self.constant(*left)?, || self.constant(*right))?
            }
            ExprKind::Conditional(condition, Some(then), otherwise) => match self.constant(*condition)? {
                0 => self.constant(*otherwise)?,
                _ => self.constant(*then)?,
            },
            ExprKind::Cast(operand) if expr.ty.is_integer() => self.constant(*operand)?,
            _ => return None,
        };
        Some(converted(value, &expr.ty))
    }
}

/// The value of an operation on integers; the right operand is evaluated when it is needed.
pub(crate) fn binary(op: BinaryOp, left: i128, right: impl FnOnce() -> Option<i128>) -> Option<i128> {
    match op {
        BinaryOp::And if left == 0 => return Some(0),
        BinaryOp::Or if left != 0 => return Some(1),
        _ => {}
    }
    let right = right()?;
    let shift = || u32::try_from(right).ok().filter(|it| *it < 64);
    Some(match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::ShiftLeft => left.checked_shl(shift()?)?,
        BinaryOp::ShiftRight => left.checked_shr(shift()?)?,
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::Less => i128::from(left < right),
        BinaryOp::Greater => i128::from(left > right),
        BinaryOp::LessEqual => i128::from(left <= right),
        BinaryOp::GreaterEqual => i128::from(left >= right),
        BinaryOp::Equal => i128::from(left == right),
        BinaryOp::NotEqual => i128::from(left != right),
        BinaryOp::And | BinaryOp::Or => i128::from(right != 0),
    })
}

/// A value in an integer type: wrapped to its size.
fn converted(value: i128, ty: &Type) -> i128 {
    match ty {
        Type::Bool => i128::from(value != 0),
        Type::Integer { bytes, is_signed } if *bytes < 16 => {
            let unused = 128 - 8 * u32::from(*bytes);
            match is_signed {
                true => (value << unused) >> unused,
                false => ((value as u128) << unused >> unused) as i128,
            }
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_wrap_to_the_size_of_their_type() {
        assert_eq!(converted(300, &Type::Integer { bytes: 1, is_signed: false }), 44);
        assert_eq!(converted(200, &Type::Integer { bytes: 1, is_signed: true }), -56);
        assert_eq!(converted(7, &Type::Bool), 1);
    }

    #[test]
    fn operands_that_are_not_needed_are_not_evaluated() {
        assert_eq!(binary(BinaryOp::And, 0, || None), Some(0));
        assert_eq!(binary(BinaryOp::Or, 2, || None), Some(1));
        assert_eq!(binary(BinaryOp::Divide, 2, || Some(0)), None);
    }
}
