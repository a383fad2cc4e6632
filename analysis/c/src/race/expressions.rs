//! Evaluation of expressions.

use apg_kernels::fork_join::{self, Constraint, Selector, Symbol};

use super::Lowering;
use super::values::{Place, Value};
use crate::hir::{BinaryOp, ExprId, ExprKind, Type, UnaryOp};

impl Lowering<'_> {
    /// The value of an expression, if it is known; its accesses are recorded.
    pub(super) fn value(&mut self, id: ExprId) -> Option<Value> {
        if self.has_ended() {
            return None;
        }
        self.time += 1;
        let expr = self.program.expr(id);
        match &expr.kind {
            ExprKind::Integer(value) => i64::try_from(*value).ok().map(Value::integer),
            ExprKind::Variable(_)
            | ExprKind::Index(..)
            | ExprKind::Member { .. }
            | ExprKind::Dereference(_) => {
                let place = self.place(id)?;
                self.load(&place, id)
            }
            ExprKind::Section(base, low, length) => {
                self.value(*base);
                low.iter().chain(length).for_each(|it| {
                    self.value(*it);
                });
                None
            }
            ExprKind::Coindexed(base, image) => {
                self.value(*base);
                self.value(*image);
                None
            }
            ExprKind::Unary(op, operand) => {
                let value = self.value(*operand)?;
                let zero = fork_join::Value::from_constant(0);
                match op {
                    UnaryOp::Plus => Some(value),
                    UnaryOp::Minus => zero.checked_sub(value.as_integer()?).map(Value::Integer),
                    UnaryOp::Not => Some(Value::integer(i64::from(value.as_constant()? == 0))),
                    UnaryOp::Complement => Some(Value::integer(!value.as_constant()?)),
                }
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right),
            ExprKind::Assign(op, target, value) => self.assign(*op, *target, *value),
            ExprKind::Increment { target, is_decrement, is_postfix } => {
                let place = self.place(*target)?;
                let before = self.load(&place, *target);
                let one = fork_join::Value::from_constant(1);
                let after = before.clone().and_then(|it| added(it, &one, *is_decrement));
                self.access(&place, true, *target);
                self.set_value(&place, after.clone());
                if *is_postfix { before } else { after }
            }
            ExprKind::AddressOf(of) => self.place(*of).map(Value::Pointer),
            ExprKind::Cast(operand) => {
                let value = self.value(*operand)?;
                match (&expr.ty, &value) {
                    (Type::Float(_) | Type::Complex(_), _) => None,
                    _ => Some(value),
                }
            }
            ExprKind::Comma(first, second) => {
                self.value(*first);
                self.value(*second)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let known = self.value(*condition);
                match (known.as_ref().and_then(Value::as_constant), then) {
                    (Some(0), _) => self.value(*otherwise),
                    (Some(_), Some(then)) => self.value(*then),
                    _ => {
                        let then = then.and_then(|it| self.value(it));
                        let otherwise = self.value(*otherwise);
                        then.filter(|it| Some(it) == otherwise.as_ref())
                    }
                }
            }
            ExprKind::Call(callee, arguments) => self.call(id, *callee, arguments),
            ExprKind::Block(block) => {
                self.stmt(*block);
                None
            }
            ExprKind::Other(operands) | ExprKind::List(operands) => {
                operands.iter().for_each(|it| {
                    self.value(*it);
                });
                None
            }
            ExprKind::Designated(values) => {
                values.iter().for_each(|it| {
                    self.value(it.1);
                });
                None
            }
            ExprKind::Function(_)
            | ExprKind::Unresolved(_)
            | ExprKind::Float(_)
            | ExprKind::String
            | ExprKind::Unevaluated => None,
        }
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Value> {
        let a = self.value(left);
        // The right operand of these is evaluated under a condition.
        let decides = match op {
            BinaryOp::And => a.as_ref().and_then(Value::as_constant).filter(|it| *it == 0),
            BinaryOp::Or => a.as_ref().and_then(Value::as_constant).filter(|it| *it != 0),
            _ => None,
        };
        if let Some(value) = decides {
            return Some(Value::integer(i64::from(value != 0)));
        }
        let b = self.value(right);
        let (a, b) = (a?, b?);
        match (op, &a, &b) {
            (BinaryOp::Add, Value::Pointer(_), Value::Integer(by)) => added(a.clone(), by, false),
            (BinaryOp::Add, Value::Integer(by), Value::Pointer(_)) => added(b.clone(), by, false),
            (BinaryOp::Subtract, Value::Pointer(_), Value::Integer(by)) => added(a.clone(), by, true),
            (_, Value::Integer(x), Value::Integer(y)) => match op {
                BinaryOp::Add => x.checked_add(y).map(Value::Integer),
                BinaryOp::Subtract => x.checked_sub(y).map(Value::Integer),
                BinaryOp::Multiply => x.checked_mul(y).map(Value::Integer),
                _ => {
                    let (x, y) = (i128::from(*x.as_constant()?), i128::from(*y.as_constant()?));
                    let value = crate::lower::constant::binary(op, x, || Some(y))?;
                    i64::try_from(value).ok().map(Value::integer)
                }
            },
            _ => None,
        }
    }

    fn assign(&mut self, op: Option<BinaryOp>, target: ExprId, value: ExprId) -> Option<Value> {
        let value = self.value(value);
        let place = self.place(target)?;
        let result = match op {
            None => value,
            Some(op) => {
                let before = self.load(&place, target);
                let is_backward = op == BinaryOp::Subtract;
                match (op, before, value) {
                    (BinaryOp::Add | BinaryOp::Subtract, Some(before), Some(Value::Integer(by))) => {
                        added(before, &by, is_backward)
                    }
                    (BinaryOp::Multiply, Some(Value::Integer(a)), Some(Value::Integer(b))) => {
                        a.checked_mul(&b).map(Value::Integer)
                    }
                    _ => None,
                }
            }
        };
        self.access(&place, true, target);
        let is_number = matches!(self.program.expr(target).ty, Type::Float(_) | Type::Complex(_));
        let result = result.filter(|_| !is_number);
        self.set_value(&place, result.clone());
        result
    }

    /// Loads from a place.
    pub(super) fn load(&mut self, place: &Place, site: ExprId) -> Option<Value> {
        let ty = &self.program.expr(site).ty;
        match ty {
            // Arrays become pointers to their first element; nothing is loaded.
            Type::Array(..) => {
                let zero = fork_join::Value::from_constant(0);
                return Some(Value::Pointer(place.clone().with(Selector::Index(Some(zero)))));
            }
            Type::Function(_) => return None,
            _ => {}
        }
        let is_pointer = matches!(ty, Type::Pointer(_));
        self.access(place, false, site);
        if place.selectors.is_empty() {
            return self.value_of(place.object);
        }
        if let Some(value) = self.element_of_table(place) {
            return Some(value);
        }
        if let Some(pointers) = self.pointer_tables.get(&place.object)
            && let [Selector::Index(Some(index))] = &place.selectors[..]
            && let Some(index) = index.as_constant().and_then(|it| usize::try_from(*it).ok())
        {
            return pointers.get(index).cloned().flatten();
        }
        // A pointer in an array or struct: it is taken to point to something that no other points to.
        let zero = fork_join::Value::from_constant(0);
        let is_written = self.objects[place.object as usize].depth > 0;
        (is_pointer && !is_written).then(|| {
            let target = place.clone().with(Selector::Dereference).with(Selector::Index(Some(zero)));
            Value::Pointer(target)
        })
    }

    /// The element of an array that keeps its initial values.
    fn element_of_table(&mut self, place: &Place) -> Option<Value> {
        let [Selector::Index(Some(index))] = &place.selectors[..] else { return None };
        let variable = self.objects[place.object as usize].variable?;
        let table = self.facts.tables.get(&variable)?.clone();
        if let Some(constant) = index.as_constant() {
            return table.get(usize::try_from(*constant).ok()?).copied().map(Value::integer);
        }
        let element = self.fresh_symbol(Symbol::Own);
        self.constraints.push(Constraint::Element { element, index: index.clone(), table });
        Some(Value::Integer(fork_join::Value::symbol(element)))
    }

    /// The place that an expression names; what is evaluated on the way is recorded.
    pub(super) fn place(&mut self, id: ExprId) -> Option<Place> {
        if self.has_ended() {
            return None;
        }
        let expr = self.program.expr(id);
        match &expr.kind {
            ExprKind::Variable(variable) => Some(Place::whole(self.object(*variable))),
            ExprKind::Index(base, index) => {
                let base = self.value(*base);
                let index = self.value(*index);
                let Value::Pointer(place) = base? else { return None };
                let index = index.as_ref().and_then(Value::as_integer);
                Some(place.moved(index, false))
            }
            ExprKind::Dereference(pointer) => match self.value(*pointer)? {
                Value::Pointer(place) => Some(place),
                Value::Integer(_) => None,
            },
            ExprKind::Member { base, field, is_arrow } => {
                let place = match is_arrow {
                    false => self.place(*base)?,
                    true => match self.value(*base)? {
                        Value::Pointer(place) => place,
                        Value::Integer(_) => return None,
                    },
                };
                let base = &self.program.expr(*base).ty;
                let record = if *is_arrow { base.element()? } else { base };
                Some(match self.field_number(record, field) {
                    Some(number) => place.with(Selector::Field(number)),
                    None => place.with(Selector::Index(None)),
                })
            }
            ExprKind::Cast(operand) => self.place(*operand),
            _ => {
                self.value(id);
                None
            }
        }
    }

    /// The number of a member; `None` of unions, whose members overlap.
    fn field_number(&self, record: &Type, field: &str) -> Option<u32> {
        let Type::Record(id) = record else { return None };
        let record = self.program.record(*id);
        let fields = record.fields.as_ref().filter(|_| !record.is_union)?;
        let number = fields.iter().position(|it| it.name.as_deref() == Some(field))?;
        u32::try_from(number).ok()
    }

    /// The conditions that hold where an expression is true (or false), as far as they are linear. The
    /// expression is evaluated already.
    pub(super) fn conditions(&mut self, id: ExprId, is_true: bool) -> Vec<Constraint> {
        let (time, atomic) = (self.time, self.atomic);
        let (count, region) = (self.accesses.len(), self.region.take());
        let found = self.linear_conditions(id, is_true);
        (self.region, self.time, self.atomic) = (region, time, atomic);
        self.accesses.truncate(count);
        self.origins.truncate(count);
        found
    }

    fn linear_conditions(&mut self, id: ExprId, is_true: bool) -> Vec<Constraint> {
        match self.program.expr(id).kind {
            ExprKind::Binary(BinaryOp::And, a, b) if is_true => {
                let mut all = self.linear_conditions(a, true);
                all.extend(self.linear_conditions(b, true));
                all
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !is_true => {
                let mut all = self.linear_conditions(a, false);
                all.extend(self.linear_conditions(b, false));
                all
            }
            ExprKind::Unary(UnaryOp::Not, of) => self.linear_conditions(of, !is_true),
            ExprKind::Binary(op, a, b) if op.is_condition() => {
                if has_effects(self, a) || has_effects(self, b) {
                    return Vec::new();
                }
                let pair = self.condition_operand(a).zip(self.condition_operand(b));
                pair.and_then(|(a, b)| comparison(op, &a, &b, is_true)).into_iter().collect()
            }
            _ if has_effects(self, id) => Vec::new(),
            _ => {
                let make = if is_true { Constraint::NonZero } else { Constraint::Zero };
                self.condition_operand(id).map(make).into_iter().collect()
            }
        }
    }

    /// The value of an operand of a condition. A remainder by a constant, `x % m` or `x & (m - 1)`, is an
    /// integer `r` with `x = m q + r` and `0 <= r < m`; `%` demands an `x` that is not negative. It is for
    /// conditions alone: how many threads share the elements `a[thread % m]` is not known.
    fn condition_operand(&mut self, id: ExprId) -> Option<fork_join::Value> {
        let value = self.value(id);
        if let Some(known) = value.as_ref().and_then(Value::as_integer) {
            return Some(known.clone());
        }
        let ExprKind::Binary(op, dividend, divisor) = self.program.expr(id).kind else { return None };
        let divisor = self.value(divisor).as_ref().and_then(Value::as_constant)?;
        let modulus = match op {
            BinaryOp::Remainder => divisor,
            BinaryOp::BitAnd => divisor.checked_add(1).filter(|it| it.count_ones() == 1)?,
            _ => return None,
        };
        if !(2..=i64::from(i32::MAX)).contains(&modulus) {
            return None;
        }
        let dividend = self.value(dividend)?.as_integer()?.clone();
        let is_own = dividend.terms().any(|it| matches!(it.0, Symbol::Own(_)));
        let make = if is_own { Symbol::Own } else { Symbol::Fixed };
        let quotient = fork_join::Value::symbol(self.fresh_symbol(make));
        let remainder = fork_join::Value::symbol(self.fresh_symbol(make));
        let sum = quotient.checked_scale(modulus)?.checked_add(&remainder)?;
        let largest = fork_join::Value::from_constant(modulus - 1);
        self.constraints.push(Constraint::Zero(dividend.checked_sub(&sum)?));
        if op == BinaryOp::Remainder {
            self.constraints.push(Constraint::NonNegative(dividend));
        }
        self.constraints.push(Constraint::NonNegative(remainder.clone()));
        self.constraints.push(Constraint::NonNegative(largest.checked_sub(&remainder)?));
        Some(remainder)
    }
}

/// Whether an expression changes something or calls a function of the program.
fn has_effects(lowering: &Lowering<'_>, id: ExprId) -> bool {
    let mut found = false;
    lowering.program.walk_expr(id, &mut |node| {
        if let crate::hir::visit::Node::Expr(it) = node {
            found |= match &lowering.program.expr(it).kind {
                ExprKind::Assign(..) | ExprKind::Increment { .. } | ExprKind::Block(_) => true,
                ExprKind::Call(callee, _) => {
                    lowering.program.callee_name(*callee).is_none_or(|it| !it.starts_with("omp_get_"))
                }
                _ => false,
            };
        }
        true
    });
    found
}

/// A comparison as a condition.
fn comparison(op: BinaryOp, a: &fork_join::Value, b: &fork_join::Value, is_true: bool) -> Option<Constraint> {
    let one = fork_join::Value::from_constant(1);
    let at_most = |a: &fork_join::Value, b: &fork_join::Value| b.checked_sub(a).map(Constraint::NonNegative);
    let less = |a: &fork_join::Value, b: &fork_join::Value| at_most(&a.checked_add(&one)?, b);
    match (op, is_true) {
        (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => less(a, b),
        (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => less(b, a),
        (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => at_most(a, b),
        (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => at_most(b, a),
        (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => a.checked_sub(b).map(Constraint::Zero),
        (BinaryOp::NotEqual, true) | (BinaryOp::Equal, false) => a.checked_sub(b).map(Constraint::NonZero),
        _ => None,
    }
}

/// A value plus or minus an amount.
fn added(value: Value, by: &fork_join::Value, is_backward: bool) -> Option<Value> {
    match value {
        Value::Integer(it) if is_backward => it.checked_sub(by).map(Value::Integer),
        Value::Integer(it) => it.checked_add(by).map(Value::Integer),
        Value::Pointer(place) => Some(Value::Pointer(place.moved(Some(by), is_backward))),
    }
}
