//! Conversions of values (C17 6.3).

use apg_c_analysis::hir::Type;
use apg_c_syntax::TextRange;
use apg_mir::{Expr, ExprKind, Operation, Ty};

use crate::body::{Body, binary, int, operation};
use crate::unsupported::{Lowered, unsupported};

impl Body<'_, '_> {
    /// A value as one of another type.
    pub(crate) fn convert(&mut self, value: Expr, to: &Type, range: TextRange) -> Lowered<Expr> {
        if *to == Type::Void {
            return Ok(value);
        }
        let target = self.unit.ty(to, range)?;
        self.convert_to(value, target, range)
    }

    pub(crate) fn convert_to(&mut self, value: Expr, target: Ty, range: TextRange) -> Lowered<Expr> {
        let from = value.ty;
        if from == target {
            return Ok(value);
        }
        Ok(match (from, target, &value.kind) {
            (_, Ty::Bool, _) => not_zero(value),
            (Ty::F32 | Ty::F64, Ty::F32 | Ty::F64, ExprKind::Float(number)) => {
                let number = if target == Ty::F32 { f64::from(*number as f32) } else { *number };
                Expr::new(target, ExprKind::Float(number))
            }
            (_, Ty::F32 | Ty::F64, ExprKind::Int(number)) if number.unsigned_abs() < 1 << 24 => {
                Expr::new(target, ExprKind::Float(*number as f64))
            }
            (_, Ty::I64 | Ty::I32, ExprKind::Int(number))
                if target == Ty::I64 || i32::try_from(*number).is_ok() =>
            {
                int(target, *number)
            }
            (_, Ty::Pointer(_), ExprKind::Int(0)) => Expr::new(target, ExprKind::Zero),
            (Ty::Pointer(_), Ty::Pointer(_) | Ty::I64 | Ty::U64, _)
            | (Ty::I64 | Ty::U64, Ty::Pointer(_), _) => operation(target, Operation::Convert, vec![value]),
            (Ty::Pointer(_), _, _) if is_integer(target) => {
                let address = operation(Ty::I64, Operation::Convert, vec![value]);
                operation(target, Operation::Convert, vec![address])
            }
            (_, Ty::Pointer(_), _) if is_integer(from) => {
                let address = operation(Ty::I64, Operation::Convert, vec![value]);
                operation(target, Operation::Convert, vec![address])
            }
            (Ty::F32 | Ty::F64, _, _) if is_integer(target) => {
                operation(target, Operation::ConvertUndefined, vec![value])
            }
            _ if is_number(from) && is_number(target) => operation(target, Operation::Convert, vec![value]),
            _ => {
                let message = "a value of this type is not converted to the type that is needed here";
                return unsupported(range, message, "write the conversion member by member");
            }
        })
    }
}

/// Whether a value differs from zero.
pub(crate) fn not_zero(value: Expr) -> Expr {
    match (&value.kind, value.ty) {
        (_, Ty::Bool) => value,
        // A comparison that was made an `int`.
        (ExprKind::Operation { operation: Operation::Convert, args }, _) if args[0].ty == Ty::Bool => {
            args[0].clone()
        }
        (_, ty) => binary(Ty::Bool, Operation::Ne, value, zero(ty)),
    }
}

/// The zero of a scalar type.
pub(crate) fn zero(ty: Ty) -> Expr {
    match ty {
        Ty::F32 | Ty::F64 => Expr::new(ty, ExprKind::Float(0.0)),
        _ if is_integer(ty) => int(ty, 0),
        _ => Expr::new(ty, ExprKind::Zero),
    }
}

pub(crate) fn is_integer(ty: Ty) -> bool {
    use Ty::*;
    matches!(ty, Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
}

pub(crate) fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F32 | Ty::F64)
}

/// Whether values of a type are integers or floating numbers.
pub(crate) fn is_number(ty: Ty) -> bool {
    is_integer(ty) || is_float(ty)
}

pub(crate) fn is_signed(ty: Ty) -> bool {
    matches!(ty, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64)
}
