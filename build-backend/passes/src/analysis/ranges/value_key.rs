//! Structural identity of pure expressions: equal keys are equal values while no local changes (value
//! numbering; Cocke and Schwartz, *Programming Languages and Their Compilers*, 1970).

use rustc_hash::FxHashSet;

use super::evaluate::strip_widening;
use apg_mir::*;

/// An expression without its identity and span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum ValueKey {
    /// A local, of whatever width it is read with.
    Local(LocalId),
    /// A constant.
    Int(Ty, i64),
    /// Any other pure expression, with its operands.
    Compound(Ty, Shape, Vec<ValueKey>),
}

/// What an expression does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Operation(Operation),
    Length,
    StructField(u32),
    Select,
}

impl ValueKey {
    /// Key of a value; conversions of a local that keep its value are equal to the local. `None` if the
    /// expression is not pure.
    pub(super) fn of(expr: &Expr) -> Option<ValueKey> {
        ValueKey::of_exact(strip_widening(expr))
    }

    /// Key of an expression with the type that it has.
    fn of_exact(expr: &Expr) -> Option<ValueKey> {
        let compound = |shape: Shape, parts: &[&Expr]| {
            let parts: Option<Vec<ValueKey>> = parts.iter().map(|it| ValueKey::of_exact(it)).collect();
            Some(ValueKey::Compound(expr.ty, shape, parts?))
        };
        match &expr.kind {
            ExprKind::Local(local) => Some(ValueKey::Local(*local)),
            ExprKind::Int(value) => Some(ValueKey::Int(expr.ty, *value)),
            ExprKind::Operation { operation, args } => {
                compound(Shape::Operation(*operation), &args.iter().collect::<Vec<_>>())
            }
            ExprKind::Length { rail, .. } => compound(Shape::Length, &[rail]),
            ExprKind::StructField { value, field } => compound(Shape::StructField(*field), &[value]),
            ExprKind::Select { condition, then, otherwise } => {
                compound(Shape::Select, &[condition, then, otherwise])
            }
            _ => None,
        }
    }

    /// Whether the value depends on one of these locals.
    pub(super) fn mentions_any(&self, locals: &FxHashSet<LocalId>) -> bool {
        match self {
            ValueKey::Local(local) => locals.contains(local),
            ValueKey::Int(..) => false,
            ValueKey::Compound(_, _, parts) => parts.iter().any(|it| it.mentions_any(locals)),
        }
    }
}
