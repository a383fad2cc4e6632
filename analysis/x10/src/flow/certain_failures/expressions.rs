//! Expressions: their values.

use super::Interpreter;
use super::facts::TypeFacts;
use super::integer_types::{IntegerInterval, Interval};
use super::state::State;
use super::value::{MAX_LENGTH, Number, Reference, Relation, Value};
use crate::body::{AssignTarget, ExprId, ExprKind, Literal, LocalId};
use crate::ids::FieldId;
use crate::item_tree::Modifiers;
use crate::item_tree::items::field_item;
use crate::rules::values::{Symbol, Variable};
use crate::ty::known::Known;
use crate::ty::{ConstraintTerm, Path, PathRoot, Ty};

impl Interpreter<'_> {
    /// Evaluates an expression.
    pub(super) fn expr(&mut self, id: ExprId) -> Value {
        self.count_visit();
        if !self.state.live {
            return Value::Unknown;
        }
        let body = self.body;
        let expr = body.expr(id);
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, id),
            ExprKind::Local(local) => self.local_value(*local),
            ExprKind::Field { object, field } => self.field(id, *object, *field),
            ExprKind::StaticField(field) => self.static_field(*field, expr.ty),
            ExprKind::Call { .. } => self.call(id),
            ExprKind::New { .. } => self.new_object(id),
            ExprKind::ClosureCall { closure, args } => {
                let value = self.expr(*closure);
                self.exprs(args);
                self.check_null(*closure, &value);
                self.leave_by_call(id);
                Value::Unknown
            }
            ExprKind::Closure(closure) => {
                let before = self.state.clone();
                self.state.is_certain = false;
                closure.params.iter().for_each(|it| self.state.forget(Variable::Local(*it)));
                self.stmt(closure.body);
                self.state = before;
                Value::Reference(Reference { is_null: Some(false), ..Reference::default() })
            }
            ExprKind::RailLiteral { items, .. } => {
                self.exprs(items);
                let length = Some(Number::exactly(items.len() as i128));
                Value::Reference(Reference { is_null: Some(false), length, origin: Some(expr.range) })
            }
            ExprKind::Assign { target, value } => self.assignment(*target, *value),
            ExprKind::Coerce { value } | ExprKind::Cast { value, .. } => {
                let value = self.expr(*value);
                self.converted(value, expr.ty)
            }
            ExprKind::Box { value } => {
                self.expr(*value);
                Value::Unknown
            }
            ExprKind::Unbox { value } | ExprKind::InstanceOf { value, .. } => {
                self.expr(*value);
                Value::Unknown
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let around = self.state.clone();
                let when_false = self.condition(*condition);
                let first = self.expr(*then);
                let after_then = std::mem::replace(&mut self.state, when_false);
                let second = self.expr(*otherwise);
                let value = match (after_then.live, self.state.live) {
                    (true, true) => first.join(&second, &|_, joined| joined),
                    (true, false) => first,
                    _ => second,
                };
                self.state.join(&after_then);
                self.restore_certainty(&around);
                value
            }
            ExprKind::ShortCircuit { .. } | ExprKind::Equal { .. } => {
                let around = self.state.clone();
                let when_false = self.condition(id);
                let value = match (self.state.live, when_false.live) {
                    (true, false) => Value::Boolean(true),
                    (false, true) => Value::Boolean(false),
                    _ => Value::Unknown,
                };
                self.state.join(&when_false);
                self.restore_certainty(&around);
                value
            }
            ExprKind::Concat { parts } => {
                self.exprs(parts);
                Value::Reference(Reference { is_null: Some(false), ..Reference::default() })
            }
            ExprKind::Let { stmts, result } => {
                stmts.iter().for_each(|it| self.stmt(*it));
                self.expr(*result)
            }
            ExprKind::At { place, body, .. } => {
                self.expr(*place);
                self.elsewhere(*body);
                Value::Unknown
            }
            ExprKind::Error
            | ExprKind::This
            | ExprKind::Outer(_)
            | ExprKind::Here
            | ExprKind::TypeTest(_) => Value::Unknown,
        }
    }

    pub(super) fn exprs(&mut self, ids: &[ExprId]) {
        ids.iter().for_each(|it| {
            self.expr(*it);
        });
    }

    /// The paths of a condition inside an expression meet again.
    fn restore_certainty(&mut self, around: &State) {
        self.state.is_certain = around.is_certain;
    }

    /// A call of code of the program may leave the iteration under analysis.
    pub(super) fn leave_by_call(&mut self, id: ExprId) {
        if !self.is_in_kernel && self.may_throw(id) {
            self.state.may_have_left = true;
        }
    }

    /// The value of a literal of the type of `at`.
    pub(super) fn literal(&self, literal: &Literal, at: ExprId) -> Value {
        let expr = self.body.expr(at);
        match literal {
            Literal::Int(value) => {
                let is_unsigned = self.facts.of_type(expr.ty).primitive.is_some_and(Known::is_unsigned);
                let value = if is_unsigned { i128::from(*value as u64) } else { i128::from(*value) };
                self.converted(Value::Number(Number::exactly(value)), expr.ty)
            }
            Literal::Bool(value) => Value::Boolean(*value),
            Literal::Null => {
                Value::Reference(Reference { is_null: Some(true), length: None, origin: Some(expr.range) })
            }
            Literal::String(text) => {
                let length = text.is_ascii().then(|| Number::exactly(text.len() as i128));
                Value::Reference(Reference { is_null: Some(false), length, origin: Some(expr.range) })
            }
            Literal::Float(_) | Literal::Char(_) => Value::Unknown,
        }
    }

    /// A value as one of an integer type wraps, and others stay.
    pub(super) fn converted(&self, value: Value, ty: Ty) -> Value {
        let Value::Number(number) = value else {
            let is_primitive = self.facts.of_type(ty).primitive.is_some();
            return if is_primitive && value.reference().is_some() { Value::Unknown } else { value };
        };
        let Some(all) = self.facts.of_type(ty).integers() else { return Value::Unknown };
        match number.range.wrapped(all) {
            (_, true) => Value::Number(number),
            (range, false) => Value::Number(Number::within(range)),
        }
    }

    /// The value of a local.
    pub(super) fn local_value(&self, local: LocalId) -> Value {
        let declared = self.body.local(local);
        let is_tracked = !self.is_shared(local);
        self.variable_value(Variable::Local(local), declared.ty, is_tracked, !declared.mutable)
    }

    /// The value of a variable: what is known in this state, and what its type says.
    fn variable_value(&self, variable: Variable, ty: Ty, is_tracked: bool, is_immutable: bool) -> Value {
        if !is_tracked {
            return self.value_of_type(ty, None);
        }
        let symbol = is_immutable.then_some(variable);
        let Some(known) = self.state.get(Symbol::Value(variable)) else {
            return self.value_of_type(ty, symbol);
        };
        match known {
            Value::Number(number) => {
                let mut number = *number;
                if let (None, Some(variable)) = (number.exact_relation(), symbol)
                    && number.relation.is_none()
                {
                    number.relation = Number::of_symbol(Symbol::Value(variable), number.range).relation;
                }
                Value::Number(self.refined(number))
            }
            Value::Reference(reference) => {
                let of_type = self.value_of_type(ty, symbol);
                let length = reference.length.or(of_type.reference().and_then(|it| it.length));
                let is_null = reference.is_null.or(of_type.reference().and_then(|it| it.is_null));
                let length = length.map(|it| self.refined(it));
                Value::Reference(Reference { is_null, length, ..reference.clone() })
            }
            other => other.clone(),
        }
    }

    /// A number with what is known of its symbol.
    fn refined(&self, number: Number) -> Number {
        let Some((symbol, offset)) = number.exact_relation() else { return number };
        let Some(Value::Number(known)) = self.state.get(symbol) else { return number };
        let offset = Interval::constant(offset.into());
        let range = known.range.binary("+", offset, 64).and_then(|it| it.intersect(number.range));
        Number { range: range.unwrap_or(number.range), ..number }
    }

    /// What a type says of its values. `variable` has the value, if it is an immutable one.
    pub(super) fn value_of_type(&self, ty: Ty, variable: Option<Variable>) -> Value {
        let facts = self.facts.of_type(ty);
        if let Some(all) = facts.integers() {
            let constant = self.constrained_number(ty, &[]);
            let number = match (constant, variable) {
                (Some(number), _) => number,
                (None, Some(variable)) => self.refined(Number::of_symbol(Symbol::Value(variable), all)),
                (None, None) => Number::within(all),
            };
            return Value::Number(number);
        }
        let symbol = match facts {
            TypeFacts { is_rail: true, .. } => variable.map(Symbol::Size),
            TypeFacts { is_string: true, .. } => variable.map(Symbol::Length),
            _ => None,
        };
        let of_symbol = |it| self.refined(Number::of_symbol(it, Interval::between(0, MAX_LENGTH)));
        let of_type = match facts.is_rail {
            true => self.constrained_number(ty, &["size"]),
            false => None,
        };
        match (facts.is_null, of_type.or(symbol.map(of_symbol))) {
            (None, None) => Value::Unknown,
            (is_null, length) => Value::Reference(Reference { is_null, length, origin: None }),
        }
    }

    /// The value that the constraint of a type gives to `self`, or to a property of it.
    fn constrained_number(&self, ty: Ty, fields: &[&str]) -> Option<Number> {
        let is_subject = |path: &Path| {
            path.root == PathRoot::SelfValue
                && path.fields.iter().map(|it| it.as_str()).eq(fields.iter().copied())
        };
        if !self.facts.of_type(ty).has_constraint {
            return None;
        }
        ty.constraint(self.db)?.terms.iter().find_map(|term| {
            let ConstraintTerm::Equal(a, b) = term else { return None };
            match (is_subject(a), is_subject(b)) {
                (true, false) => self.path_number(b),
                (false, true) => self.path_number(a),
                _ => None,
            }
        })
    }

    /// The number that a path in a constraint stands for.
    fn path_number(&self, path: &Path) -> Option<Number> {
        if !path.fields.is_empty() {
            return None;
        }
        match &path.root {
            PathRoot::Literal(text) => text.parse().ok().map(Number::exactly),
            PathRoot::Local { name, offset } => {
                let is_it = |it: &crate::body::Local| {
                    it.name == *name && u32::from(it.range.start()) == *offset && !it.mutable
                };
                let index = self.body.locals.iter().position(is_it)?;
                let local = LocalId(u32::try_from(index).ok()?);
                let is_plain = self.body.local(local).ty.constraint(self.db).is_none();
                is_plain.then(|| self.local_value(local).number())?
            }
            _ => None,
        }
    }

    fn field(&mut self, id: ExprId, object: ExprId, field: FieldId) -> Value {
        let value = self.expr(object);
        self.check_null(object, &value);
        let name = field.name(self.db).as_str();
        match &value {
            Value::Reference(reference) if name == "size" => {
                if let Some(length) = reference.length {
                    return Value::Number(length);
                }
            }
            Value::Ranges(axes) => match (&axes[..], name) {
                ([(first, _)], "min") => return Value::Number(*first),
                ([(_, last)], "max") => return Value::Number(*last),
                _ => {}
            },
            _ => {}
        }
        let ty = self.body.expr(id).ty;
        if matches!(self.body.expr(object).kind, ExprKind::This) && self.is_stable_field(field) {
            return self.variable_value(Variable::Field(field), ty, true, true);
        }
        self.value_of_type(ty, None)
    }

    /// Whether a field of `this` keeps its value, and its copies have it too.
    pub(super) fn is_stable_field(&self, field: FieldId) -> bool {
        field_item(self.db, field).is_some_and(|it| !it.mutable && !it.modifiers.has(Modifiers::TRANSIENT))
    }

    /// The value of a constant of the same file.
    fn static_field(&self, field: FieldId, ty: Ty) -> Value {
        let constant = (field.class(self.db).file(self.db) == self.file)
            .then(|| crate::infer::constant::field_value(self.db, field))
            .flatten();
        match constant {
            Some(Literal::Int(value)) => {
                let is_unsigned = self.facts.of_type(ty).primitive.is_some_and(Known::is_unsigned);
                let value = if is_unsigned { i128::from(value as u64) } else { i128::from(value) };
                self.converted(Value::Number(Number::exactly(value)), ty)
            }
            Some(Literal::Bool(value)) => Value::Boolean(value),
            _ => self.value_of_type(ty, None),
        }
    }

    fn assignment(&mut self, target: AssignTarget, from: ExprId) -> Value {
        let object = match target {
            AssignTarget::Field { object, .. } => Some((object, self.expr(object))),
            _ => None,
        };
        let value = self.expr(from);
        match target {
            AssignTarget::Local(local) => self.assign_local(local, value.clone(), from),
            AssignTarget::Field { object: this, field } => {
                if let Some((object, null)) = object {
                    self.check_null(object, &null);
                }
                if matches!(self.body.expr(this).kind, ExprKind::This) {
                    self.state.forget(Variable::Field(field));
                    if self.is_stable_field(field) {
                        self.set_variable(Variable::Field(field), value.clone(), from);
                    }
                }
            }
            AssignTarget::Static(_) => {}
        }
        value
    }

    /// The expression without conversions, and what a temporary of desugaring holds.
    pub(super) fn without_conversions(&self, mut id: ExprId) -> ExprId {
        loop {
            id = match &self.body.expr(id).kind {
                ExprKind::Coerce { value } => *value,
                ExprKind::Call { receiver: None, args, method, .. }
                    if args.len() == 1
                        && self.facts.of_method(*method).name == "operator implicit as"
                        && self.facts.of_type(self.body.expr(args[0]).ty).integers().is_some() =>
                {
                    args[0]
                }
                _ => return id,
            };
        }
    }

    /// The relation of a sum or difference.
    pub(super) fn relation_of(&self, sign: &str, left: &Number, right: &Number) -> Option<Relation> {
        match sign {
            "+" => Number::shifted(left.relation, right.range)
                .or_else(|| Number::shifted(right.relation, left.range)),
            "-" => Number::shifted(left.relation, -right.range),
            _ => None,
        }
    }
}
