//! Integer values that are known before the program runs, for limits of the device.

use super::draft::Draft;
use crate::body::{ExprId, ExprKind, Literal};

impl Draft<'_> {
    /// The value of an integer expression, if literals and `val`s of literals decide it.
    pub fn constant(&self, expr: ExprId) -> Option<i64> {
        self.constant_within(expr, 64)
    }

    fn constant_within(&self, expr: ExprId, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        match &self.expr(expr).kind {
            ExprKind::Literal(Literal::Int(value)) => Some(*value),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => self.constant_within(*value, depth),
            ExprKind::Local(local) if !self.local(*local).mutable => {
                self.constant_within(self.initialiser(*local)?, depth)
            }
            ExprKind::Call { method, receiver, args, .. } if self.facts.is_pure(*method) => {
                let operands: Vec<i64> = receiver
                    .iter()
                    .chain(args)
                    .map(|operand| self.constant_within(*operand, depth))
                    .collect::<Option<_>>()?;
                let name = method.name(self.facts.db);
                match (name.strip_prefix("operator").unwrap_or(name).trim(), &operands[..]) {
                    ("+", [a, b]) => a.checked_add(*b),
                    ("-", [a, b]) => a.checked_sub(*b),
                    ("*", [a, b]) => a.checked_mul(*b),
                    ("/", [a, b]) => a.checked_div(*b),
                    ("%", [a, b]) => a.checked_rem(*b),
                    ("+", [a]) => Some(*a),
                    ("-", [a]) => a.checked_neg(),
                    // Conversions between integer types.
                    (_, [a]) if name.starts_with("operator") => Some(*a),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
