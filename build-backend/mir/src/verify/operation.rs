//! Types of operations: operands and result.

use super::{Rule, is_compatible};
use crate::*;

/// The kinds of machine types that operations distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Integer,
    Float,
    Char,
    Pointer,
    Other,
}

fn kind(ty: Ty) -> Kind {
    match ty {
        Ty::Bool => Kind::Bool,
        Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64 | Ty::U8 | Ty::U16 | Ty::U32 | Ty::U64 => Kind::Integer,
        Ty::F32 | Ty::F64 => Kind::Float,
        Ty::Char => Kind::Char,
        Ty::Pointer(_) => Kind::Pointer,
        Ty::Void | Ty::Ref(_) | Ty::Any | Ty::Struct(_) | Ty::Array(_) | Ty::Function(_) => Kind::Other,
    }
}

/// Whether constants of the type are [`ExprKind::Int`].
pub(super) fn is_integral(ty: Ty) -> bool {
    matches!(kind(ty), Kind::Bool | Kind::Integer | Kind::Char)
}

/// Whether constants of the type are [`ExprKind::Float`].
pub(super) fn is_float(ty: Ty) -> bool {
    kind(ty) == Kind::Float
}

/// The rule that an operation violates, if it does.
pub(super) fn violated_rule(operation: Operation, ty: Ty, args: &[Expr]) -> Option<Rule> {
    use Operation as O;
    let (rules, operation) = (operation.rules(), operation.exact().wrapping());
    let count = match operation {
        O::Texture if (2..=4).contains(&args.len()) => args.len(),
        O::Texture | O::Fma => 3,
        O::Add | O::Sub | O::Mul | O::Div | O::Rem | O::And | O::Or | O::Xor | O::Shl | O::Shr | O::UShr => 2,
        O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge => 2,
        O::Offset | O::Distance | O::Pow | O::Atan2 | O::Hypot | O::Min | O::Max => 2,
        _ => 1,
    };
    if args.len() != count {
        return Some(Rule::OperandCount);
    }
    let first = args.first().map_or(ty, |it| it.ty);
    let same = args.iter().all(|it| is_compatible(it.ty, first));
    let is_integer_only = matches!(rules, ArithmeticRules::Trapping | ArithmeticRules::Undefined);
    let (operands, result) = match operation {
        O::Offset => {
            let kinds = args.iter().map(|it| kind(it.ty)).collect::<Vec<_>>();
            (kinds == [Kind::Pointer, Kind::Integer], ty == first)
        }
        O::Distance => (same && kind(first) == Kind::Pointer, ty == Ty::I64),
        O::Convert if rules == ArithmeticRules::Undefined => {
            (kind(first) == Kind::Float, kind(ty) == Kind::Integer)
        }
        O::Convert if Kind::Pointer == kind(first) || Kind::Pointer == kind(ty) => {
            let is_address = |ty: Ty| kind(ty) == Kind::Pointer || matches!(ty, Ty::I64 | Ty::U64);
            (is_address(first), is_address(ty))
        }
        O::Bitcast if Kind::Pointer == kind(first) || Kind::Pointer == kind(ty) => (false, false),
        _ if is_integer_only && kind(first) != Kind::Integer => (false, true),
        O::Add | O::Sub | O::Mul | O::Div | O::Rem | O::Min | O::Max => {
            (same && matches!(kind(first), Kind::Integer | Kind::Float), ty == first)
        }
        O::And | O::Or | O::Xor => (same && matches!(kind(first), Kind::Integer | Kind::Bool), ty == first),
        O::Shl | O::Shr | O::UShr => (args.iter().all(|it| kind(it.ty) == Kind::Integer), ty == first),
        O::Neg | O::Abs => (matches!(kind(first), Kind::Integer | Kind::Float), ty == first),
        O::Not => (first == Ty::Bool, ty == Ty::Bool),
        O::BitNot => (kind(first) == Kind::Integer, ty == first),
        O::Eq | O::Ne => (same && first != Ty::Void, ty == Ty::Bool),
        O::Lt | O::Le | O::Gt | O::Ge => (same && kind(first) != Kind::Other, ty == Ty::Bool),
        O::Convert | O::Bitcast => (kind(first) != Kind::Other, kind(ty) != Kind::Other),
        O::Texture => (matches!(first, Ty::Struct(_)), kind(ty) != Kind::Other),
        _ => (same && kind(first) == Kind::Float, ty == first),
    };
    match (operands, result) {
        (false, _) => Some(Rule::OperandType),
        (true, false) => Some(Rule::ResultType),
        (true, true) => None,
    }
}
