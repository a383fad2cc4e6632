//! Constant evaluation, as a `case` needs it: literals, `val`s with a constant value, and operators of
//! numbers and strings.

use std::cell::Cell;

use smol_str::SmolStr;

use crate::body::{Body, ExprId, ExprKind, Literal, LocalId, StmtKind};
use crate::db::Db;
use crate::ids::FieldId;
use crate::item_tree::items::field_item;
use crate::ty::Ty;
use crate::ty::known::Known;

/// The longest chain of `val`s that is followed: a `val` defined by itself has no value.
const MAX_VAL_CHAIN_LENGTH: u32 = 64;

/// The most expressions that one value is computed from: `val`s that each name another one twice grow
/// exponentially.
const MAX_EVALUATED_EXPRESSIONS: u32 = 4096;

/// The value of an expression, if it is constant.
pub fn value(db: &dyn Db, body: &Body, expr: ExprId) -> Option<Literal> {
    Evaluation { db, body, depth: 0, left: &Cell::new(MAX_EVALUATED_EXPRESSIONS) }.value(expr)
}

/// The value of a `val` of a body, if it is constant.
pub fn local_value(db: &dyn Db, body: &Body, local: LocalId) -> Option<Literal> {
    Evaluation { db, body, depth: 0, left: &Cell::new(MAX_EVALUATED_EXPRESSIONS) }.local(local)
}

/// The value of a `val` of a class, if it is constant.
pub fn field_value(db: &dyn Db, field: FieldId) -> Option<Literal> {
    let body = Body::default();
    Evaluation { db, body: &body, depth: 0, left: &Cell::new(MAX_EVALUATED_EXPRESSIONS) }.field(field)
}

struct Evaluation<'a> {
    db: &'a dyn Db,
    body: &'a Body,
    depth: u32,
    /// How many expressions may still be evaluated.
    left: &'a Cell<u32>,
}

impl Evaluation<'_> {
    fn value(&self, id: ExprId) -> Option<Literal> {
        self.left.set(self.left.get().checked_sub(1)?);
        let expr = self.body.expr(id);
        match &expr.kind {
            ExprKind::Literal(literal) => Some(literal.clone()),
            ExprKind::Coerce { value } => match self.value(*value)? {
                Literal::Int(n) => self.wrapped(n, expr.ty),
                other => Some(other),
            },
            ExprKind::Cast { value, .. } => match self.value(*value)? {
                Literal::Int(n) => self.wrapped(n, expr.ty),
                other if expr.ty.base(self.db) == self.body.expr(*value).ty.base(self.db) => Some(other),
                _ => None,
            },
            ExprKind::Call { method, receiver, args, .. } => {
                let operator = method.name(self.db).strip_prefix("operator")?;
                self.operation(operator, receiver.iter().chain(args), expr.ty)
            }
            ExprKind::Concat { parts } => self.text(parts),
            ExprKind::StaticField(field) => self.deeper()?.field(*field),
            ExprKind::Field { object, field } if matches!(self.body.expr(*object).kind, ExprKind::This) => {
                self.deeper()?.field(*field)
            }
            ExprKind::Local(local) => self.deeper()?.local(*local),
            _ => None,
        }
    }

    fn deeper(&self) -> Option<Self> {
        (self.depth < MAX_VAL_CHAIN_LENGTH).then_some(Evaluation { depth: self.depth + 1, ..*self })
    }

    fn operation<'e>(
        &self,
        operator: &str,
        operands: impl Iterator<Item = &'e ExprId>,
        ty: Ty,
    ) -> Option<Literal> {
        let kind = ty.primitive(self.db).filter(|kind| kind.is_integer())?;
        let number = |id: &ExprId| match self.value(*id)? {
            Literal::Int(n) if self.body.expr(*id).ty.primitive(self.db)?.is_integer() => Some(n),
            _ => None,
        };
        let operands = operands.map(number).collect::<Option<Vec<i64>>>()?;
        let bits = 8 * kind.size()?;
        let result = match (operator.trim(), operands[..].as_ref()) {
            ("+" | "as" | "implicit as", [a]) => *a,
            ("-", [a]) => a.wrapping_neg(),
            ("~", [a]) => !a,
            ("+", [a, b]) => a.wrapping_add(*b),
            ("-", [a, b]) => a.wrapping_sub(*b),
            ("*", [a, b]) => a.wrapping_mul(*b),
            ("/", [a, b]) if *b != 0 && kind.is_unsigned() => ((*a as u64) / (*b as u64)) as i64,
            ("%", [a, b]) if *b != 0 && kind.is_unsigned() => ((*a as u64) % (*b as u64)) as i64,
            ("/", [a, b]) if *b != 0 => a.wrapping_div(*b),
            ("%", [a, b]) if *b != 0 => a.wrapping_rem(*b),
            ("&", [a, b]) => a & b,
            ("|", [a, b]) => a | b,
            ("^", [a, b]) => a ^ b,
            ("<<", [a, b]) => a.wrapping_shl(*b as u32 % bits),
            (">>", [a, b]) if kind.is_unsigned() => ((*a as u64) >> (*b as u32 % bits)) as i64,
            (">>>", [a, b]) => ((*a as u64) << (64 - bits) >> (64 - bits) >> (*b as u32 % bits)) as i64,
            (">>", [a, b]) => a >> (*b as u32 % bits),
            _ => return None,
        };
        self.wrapped(result, ty)
    }

    /// `n` wrapped to an integer type.
    fn wrapped(&self, n: i64, ty: Ty) -> Option<Literal> {
        let kind = ty.primitive(self.db).filter(|kind| kind.is_integer())?;
        let unused = 64 - 8 * kind.size()?;
        let shifted = n << unused;
        let value = if kind.is_unsigned() { ((shifted as u64) >> unused) as i64 } else { shifted >> unused };
        Some(Literal::Int(value))
    }

    fn text(&self, parts: &[ExprId]) -> Option<Literal> {
        let mut text = String::new();
        for part in parts {
            let unsigned = self.body.expr(*part).ty.primitive(self.db).is_some_and(Known::is_unsigned);
            match self.value(*part)? {
                Literal::String(part) => text.push_str(&part),
                Literal::Char(part) => text.push(part),
                Literal::Bool(part) => text.push_str(if part { "true" } else { "false" }),
                Literal::Int(part) if unsigned => text.push_str(&(part as u64).to_string()),
                Literal::Int(part) => text.push_str(&part.to_string()),
                Literal::Float(_) | Literal::Null => return None,
            }
        }
        Some(Literal::String(SmolStr::new(text)))
    }

    /// A `val` of a class, or of an object, with an initialiser.
    fn field(&self, field: FieldId) -> Option<Literal> {
        let item = field_item(self.db, field)?;
        if item.mutable {
            return None;
        }
        let result = crate::infer::field_init_body(self.db, field)?;
        let StmtKind::Return(Some(value)) = result.body.stmt(result.body.root?).kind else { return None };
        Evaluation { body: &result.body, ..*self }.value(value)
    }

    fn local(&self, local: LocalId) -> Option<Literal> {
        if self.body.local(local).mutable {
            return None;
        }
        let init = self.body.stmts.iter().find_map(|stmt| match stmt.kind {
            StmtKind::Let { local: set, init: Some(init) } if set == local => Some(init),
            _ => None,
        });
        self.value(init?)
    }
}
