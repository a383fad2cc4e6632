//! Conditions: what is known where they hold, and where they do not.

use apg_symbolic::Comparison;
use apg_syntax::TextRange;

use super::Interpreter;
use super::integer_types::{IntegerInterval, Interval};
use super::state::State;
use super::value::{MAX_LENGTH, Number, Reference, Relation, Value};
use crate::body::{ExprId, ExprKind};
use crate::rules::values::{Symbol, Variable};
use crate::ty::known::Known;

impl Interpreter<'_> {
    /// Evaluates a condition: afterwards the state is that of `true`, and the result is that of `false`.
    pub(super) fn condition(&mut self, id: ExprId) -> State {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::ShortCircuit { is_or, left, right } => {
                let mut when_false = self.condition(*left);
                if *is_or {
                    let when_true = std::mem::replace(&mut self.state, when_false);
                    let when_false = self.condition(*right);
                    self.state.join(&when_true);
                    when_false
                } else {
                    when_false.join(&self.condition(*right));
                    when_false
                }
            }
            ExprKind::Call { method, receiver: Some(operand), args, .. }
                if args.is_empty() && self.facts.of_method(*method).name == "operator!" =>
            {
                let when_false = self.condition(*operand);
                std::mem::replace(&mut self.state, when_false)
            }
            ExprKind::Coerce { value } => self.condition(*value),
            ExprKind::Equal { negated, left, right } => {
                let comparison = if *negated { Comparison::NotEqual } else { Comparison::Equal };
                self.compare(*left, comparison, *right)
            }
            ExprKind::InstanceOf { value, .. } => {
                if self.expr(*value).is_null() {
                    return std::mem::replace(&mut self.state, State::dead());
                }
                let when_false = self.undecided();
                self.narrow_nullness(*value, false, None);
                when_false
            }
            _ => {
                if let Some((comparison, left, right)) = self.comparison(id) {
                    return self.compare(left, comparison, right);
                }
                match self.expr(id) {
                    Value::Boolean(true) => State::dead(),
                    Value::Boolean(false) => std::mem::replace(&mut self.state, State::dead()),
                    _ => self.undecided(),
                }
            }
        }
    }

    /// A condition of unknown value: neither path is certain.
    fn undecided(&mut self) -> State {
        self.state.is_certain = false;
        self.state.clone()
    }

    /// A comparison of integers with an operator of the class library.
    pub(super) fn comparison(&self, id: ExprId) -> Option<(Comparison, ExprId, ExprId)> {
        let (sign, left, right) = self.operator(id)?;
        let is_integer =
            |it: ExprId| self.facts.of_type(self.body.expr(it).ty).primitive.is_some_and(Known::is_integer);
        let comparison = Comparison::from_symbol(sign)?;
        (is_integer(left) && is_integer(right)).then_some((comparison, left, right))
    }

    /// The sign and operands of a binary operator of a built-in number type.
    pub(super) fn operator(&self, id: ExprId) -> Option<(&str, ExprId, ExprId)> {
        let ExprKind::Call { method, receiver, args, .. } = &self.body.expr(id).kind else { return None };
        let method = self.facts.of_method(*method);
        let sign = method.name.strip_prefix("operator")?.trim();
        let class = method.primitive?;
        let operands = match (receiver, &args[..]) {
            (Some(left), [right]) => (*left, *right),
            (None, [left, right]) => (*left, *right),
            _ => return None,
        };
        class.is_number().then_some((sign, operands.0, operands.1))
    }

    fn compare(&mut self, left: ExprId, comparison: Comparison, right: ExprId) -> State {
        let (a, b) = (self.expr(left), self.expr(right));
        if let (Some(a), Some(b)) = (a.number(), b.number()) {
            return self.compare_numbers((left, a), comparison, (right, b));
        }
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if !is_equality || !self.state.live {
            return self.undecided();
        }
        let nullness = |it: &Value| it.reference().and_then(|it| it.is_null);
        let holds = match (nullness(&a), nullness(&b)) {
            (Some(true), Some(true)) => Some(true),
            (Some(true), Some(false)) | (Some(false), Some(true)) => Some(false),
            _ => match (&a, &b) {
                (Value::Boolean(a), Value::Boolean(b)) => Some(a == b),
                _ => None,
            },
        };
        if let Some(holds) = holds {
            let holds = holds == (comparison == Comparison::Equal);
            let dead = State::dead();
            return if holds { dead } else { std::mem::replace(&mut self.state, dead) };
        }
        let mut when_false = self.undecided();
        for (null, other) in [(&a, right), (&b, left)] {
            if nullness(null) == Some(true) {
                let origin = null.reference().and_then(|it| it.origin);
                let is_equal = comparison == Comparison::Equal;
                self.narrow_nullness(other, is_equal, origin);
                std::mem::swap(&mut self.state, &mut when_false);
                self.narrow_nullness(other, !is_equal, origin);
                std::mem::swap(&mut self.state, &mut when_false);
            }
        }
        when_false
    }

    fn compare_numbers(
        &mut self,
        (left, a): (ExprId, Number),
        comparison: Comparison,
        (right, b): (ExprId, Number),
    ) -> State {
        match a.decides(comparison, &b) {
            Some(true) => return State::dead(),
            Some(false) => return std::mem::replace(&mut self.state, State::dead()),
            None => {}
        }
        let mut when_false = self.undecided();
        let narrow = |this: &mut Self, comparison: Comparison| {
            this.narrow(left, a, comparison, b);
            this.narrow(right, b, comparison.mirrored(), a);
        };
        narrow(self, comparison);
        std::mem::swap(&mut self.state, &mut when_false);
        narrow(self, comparison.negated());
        std::mem::swap(&mut self.state, &mut when_false);
        when_false
    }

    /// Notes that the number `value` of an expression compares so with another.
    pub(super) fn narrow(&mut self, id: ExprId, value: Number, comparison: Comparison, other: Number) {
        let Some(range) = value.range.narrow(comparison, other.range) else {
            self.state.live = false;
            return;
        };
        if let ExprKind::Local(local) = self.body.expr(self.without_conversions(id)).kind
            && !self.is_shared(local)
        {
            let own = Symbol::Value(Variable::Local(local));
            let known = value.relation.filter(|it| it.symbol != own);
            let relation = known.or_else(|| lower_relation(comparison, &other));
            let origin = value.origin.or(match comparison {
                Comparison::Equal if other.range.as_constant().is_some() => Some(self.range(id)),
                _ => None,
            });
            let narrowed = Value::Number(Number { range, relation, origin });
            self.state.set(own, narrowed);
        }
        if let Some((symbol, offset)) = value.exact_relation() {
            let by = Interval::constant(-i128::from(offset));
            let all = match symbol {
                Symbol::Size(_) | Symbol::Length(_) => Interval::between(0, MAX_LENGTH),
                Symbol::Value(_) => Interval::between(i64::MIN.into(), u64::MAX.into()),
            };
            let known = match self.state.get(symbol) {
                Some(Value::Number(known)) => *known,
                _ => Number::within(all),
            };
            let range = range.binary("+", by, 64).and_then(|it| it.intersect(known.range));
            match range {
                Some(range) => self.state.set(symbol, Value::Number(Number { range, ..known })),
                None => self.state.live = false,
            }
        }
    }

    /// Notes whether an expression is `null`.
    pub(super) fn narrow_nullness(&mut self, id: ExprId, is_null: bool, origin: Option<TextRange>) {
        let variable = match self.body.expr(self.without_conversions(id)).kind {
            ExprKind::Local(local) if !self.is_shared(local) => Variable::Local(local),
            ExprKind::Field { object, field }
                if matches!(self.body.expr(object).kind, ExprKind::This) && self.is_stable_field(field) =>
            {
                Variable::Field(field)
            }
            _ => return,
        };
        let symbol = Symbol::Value(variable);
        let known = self.state.get(symbol).and_then(Value::reference).cloned().unwrap_or_default();
        let origin = if is_null { origin } else { known.origin };
        let narrowed = Reference { is_null: Some(is_null), origin, ..known };
        self.state.set(symbol, Value::Reference(narrowed));
    }
}

/// What a comparison with a number that is relative to a symbol says of the other operand.
fn lower_relation(comparison: Comparison, other: &Number) -> Option<Relation> {
    let relation = other.relation?;
    match comparison {
        Comparison::Equal => Some(relation),
        Comparison::GreaterEqual => Some(Relation { is_exact: false, ..relation }),
        Comparison::Greater => {
            let offset = relation.offset.checked_add(1)?;
            Some(Relation { offset, is_exact: false, ..relation })
        }
        _ => None,
    }
}
