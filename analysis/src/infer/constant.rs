//! Constant expressions: what a `case` may be.

use std::cell::Cell;

use crate::body::{Body, ExprId, ExprKind, Literal, LocalId, StmtKind};
use crate::db::Db;
use crate::ids::FieldId;
use crate::item_tree::items::field_item;
use crate::ty::Ty;
use crate::ty::known::Known;

/// How many expressions one constant may be made of, those of the `val`s it names included.
const STEPS: u32 = 1000;

/// The value of a constant expression: literals, `val`s with a constant initialiser, and operators and conversions of
/// integers, characters and booleans.
pub(super) fn constant(db: &dyn Db, body: &Body, id: ExprId) -> Option<Literal> {
    Constants { db, body, steps: &Cell::new(STEPS) }.value(id)
}

struct Constants<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    steps: &'a Cell<u32>,
}

impl Constants<'_> {
    fn value(&self, id: ExprId) -> Option<Literal> {
        self.steps.set(self.steps.get().checked_sub(1)?);
        let of = |id: &ExprId| self.value(*id);
        let expr = self.body.expr(id);
        match &expr.kind {
            ExprKind::Literal(literal) => Some(literal.clone()),
            ExprKind::Coerce { value } => of(value),
            ExprKind::Cast { value, .. } => converted(self.db, of(value)?, expr.ty),
            ExprKind::Local(local) => of(&self.fixed_local(*local)?),
            ExprKind::StaticField(field) => self.field(*field),
            ExprKind::Field { object, field } if matches!(self.body.expr(*object).kind, ExprKind::This) => {
                self.field(*field)
            }
            ExprKind::Conditional { condition, then, otherwise } => match of(condition)? {
                Literal::Bool(true) => of(then),
                Literal::Bool(false) => of(otherwise),
                _ => None,
            },
            ExprKind::ShortCircuit { is_or, left, right } => match of(left)? {
                Literal::Bool(value) if value == *is_or => Some(Literal::Bool(value)),
                Literal::Bool(_) => of(right),
                _ => None,
            },
            ExprKind::Equal { negated, left, right } => {
                Some(Literal::Bool((of(left)? == of(right)?) != *negated))
            }
            ExprKind::Call { method, receiver, args, .. } => {
                let operands: Vec<ExprId> = receiver.iter().chain(args).copied().collect();
                let kind = self.body.expr(*operands.first()?).ty.primitive(self.db)?;
                let name = method.name(self.db);
                let operator = name.strip_prefix("operator")?.trim();
                let values = operands.iter().map(of).collect::<Option<Vec<_>>>()?;
                match (applied(operator, kind, &values), &values[..]) {
                    (Some(value), _) => converted(self.db, value, expr.ty),
                    (None, [value]) if matches!(operator, "_as" | "_implicit_as") => {
                        converted(self.db, value.clone(), expr.ty)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The initialiser of a `val`.
    fn fixed_local(&self, local: LocalId) -> Option<ExprId> {
        if self.body.local(local).mutable {
            return None;
        }
        self.body.stmts.iter().find_map(|stmt| match stmt.kind {
            StmtKind::Let { local: found, init } if found == local => init,
            _ => None,
        })
    }

    /// The value of a `val` of a class or an object, where its initialiser decides it.
    fn field(&self, field: FieldId) -> Option<Literal> {
        if field_item(self.db, field).is_none_or(|item| item.mutable) {
            return None;
        }
        let result = super::field_init_body(self.db, field)?;
        let body = &result.body;
        let StmtKind::Return(Some(value)) = body.stmt(body.root?).kind else { return None };
        Constants { body, ..*self }.value(value)
    }
}

/// A value as one of a type, cut to its width.
fn converted(db: &dyn Db, value: Literal, ty: Ty) -> Option<Literal> {
    let kind = ty.primitive(db)?;
    match value {
        Literal::Int(n) if kind.is_integer() => Some(Literal::Int(cut(n, kind))),
        Literal::Char(c) if kind.is_integer() => Some(Literal::Int(cut(i64::from(u32::from(c)), kind))),
        Literal::Int(n) if kind == Known::Char => char::from_u32(u32::try_from(n).ok()?).map(Literal::Char),
        Literal::Char(_) if kind == Known::Char => Some(value),
        Literal::Bool(_) if kind == Known::Boolean => Some(value),
        _ => None,
    }
}

/// The number that is left in the bits of a type.
fn cut(n: i64, kind: Known) -> i64 {
    match kind {
        Known::Byte => i64::from(n as i8),
        Known::Short => i64::from(n as i16),
        Known::Int => i64::from(n as i32),
        Known::UByte => i64::from(n as u8),
        Known::UShort => i64::from(n as u16),
        Known::UInt => i64::from(n as u32),
        _ => n,
    }
}

/// The value of an operator on operands of one type.
fn applied(operator: &str, kind: Known, operands: &[Literal]) -> Option<Literal> {
    match operands {
        [Literal::Bool(a)] if operator == "!" => Some(Literal::Bool(!a)),
        [Literal::Int(a)] => Some(Literal::Int(match operator {
            "+" => *a,
            "-" => a.wrapping_neg(),
            "~" => !a,
            _ => return None,
        })),
        [Literal::Bool(a), Literal::Bool(b)] => Some(Literal::Bool(match operator {
            "&" => a & b,
            "|" => a | b,
            "^" => a ^ b,
            _ => return None,
        })),
        [Literal::Char(a), Literal::Char(b)] => compared(operator, a.cmp(b)).map(Literal::Bool),
        [Literal::Int(a), Literal::Int(b)] => numbers(operator, kind, *a, *b),
        _ => None,
    }
}

fn numbers(operator: &str, kind: Known, a: i64, b: i64) -> Option<Literal> {
    // Numbers of the widest unsigned type are kept as their bits.
    let (x, y) = (a as u64, b as u64);
    let unsigned = kind == Known::ULong;
    if let Some(truth) = compared(operator, if unsigned { x.cmp(&y) } else { a.cmp(&b) }) {
        return Some(Literal::Bool(truth));
    }
    let bits = match kind {
        Known::Long | Known::ULong => 64,
        Known::Int | Known::UInt => 32,
        Known::Short | Known::UShort => 16,
        _ => 8,
    };
    let shift = (b & (bits - 1)) as u32;
    Some(Literal::Int(match operator {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if unsigned => x.checked_div(y)? as i64,
        "%" if unsigned => x.checked_rem(y)? as i64,
        "/" if b != 0 => a.wrapping_div(b),
        "%" if b != 0 => a.wrapping_rem(b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.wrapping_shl(shift),
        ">>" if unsigned => x.wrapping_shr(shift) as i64,
        ">>" => a.wrapping_shr(shift),
        ">>>" if bits == 64 => x.wrapping_shr(shift) as i64,
        ">>>" => ((a & ((1 << bits) - 1)) as u64).wrapping_shr(shift) as i64,
        _ => return None,
    }))
}

fn compared(operator: &str, order: std::cmp::Ordering) -> Option<bool> {
    match operator {
        "<" => Some(order.is_lt()),
        "<=" => Some(order.is_le()),
        ">" => Some(order.is_gt()),
        ">=" => Some(order.is_ge()),
        _ => None,
    }
}
