//! Operations that may fail: indices, divisions, uses of `null` and negative sizes; and the results of calls.

use smallvec::SmallVec;

use super::Interpreter;
use super::facts::MethodFacts;
use super::integer_types::{IntegerInterval, Interval};
use super::value::{MAX_LENGTH, Number, Reference, Value};
use crate::body::{ExprId, ExprKind};
use crate::rules::flow::division_by_zero::DivisionByZero;
use crate::rules::flow::index_out_of_bounds::{Container, IndexOutOfBounds};
use crate::rules::flow::negative_size::NegativeSize;
use crate::rules::flow::null_dereference::NullDereference;
use crate::rules::values::Amount;
use crate::ty::Ty;
use apg_symbolic::Comparison;

impl Interpreter<'_> {
    pub(super) fn call(&mut self, id: ExprId) -> Value {
        let body = self.body;
        let ExprKind::Call { method, receiver, args, .. } = &body.expr(id).kind else {
            return Value::Unknown;
        };
        let method = self.facts.of_method(*method);
        let name = method.name;
        if receiver.is_none() && args.len() == 1 || name == "operator!" {
            return self.conversion_or_negation(id, method, receiver.or(args.first().copied()));
        }
        let object = receiver.map(|it| (it, self.expr(it)));
        let values: SmallVec<[Value; 2]> = args.iter().map(|it| self.expr(*it)).collect();
        if !self.state.live {
            return Value::Unknown;
        }
        if let Some((receiver, value)) = &object {
            self.check_null(*receiver, value);
        }
        let result = match (&object, &values[..]) {
            (Some((receiver, of)), [index, ..])
                if matches!(name, "operator()" | "operator()=" | "charAt") =>
            {
                self.check_index(*receiver, of, (args[0], index));
                Value::Unknown
            }
            (Some((receiver, of)), []) => self.size_or_range(*receiver, of, name),
            (Some((_, left)), [right]) => self.operation(id, method, left, (args[0], right)),
            (None, [left, right]) => self.operation(id, method, left, (args[1], right)),
            _ => Value::Unknown,
        };
        self.leave_by_call(id);
        match result {
            Value::Unknown => self.value_of_type(body.expr(id).ty, None),
            result => result,
        }
    }

    /// A conversion of a number, or `!a`.
    fn conversion_or_negation(
        &mut self,
        id: ExprId,
        method: MethodFacts<'_>,
        operand: Option<ExprId>,
    ) -> Value {
        let Some(operand) = operand else { return Value::Unknown };
        let value = self.expr(operand);
        let ty = self.body.expr(id).ty;
        self.leave_by_call(id);
        match (method.name, value) {
            ("operator!", Value::Boolean(value)) => Value::Boolean(!value),
            ("operator as" | "operator implicit as", Value::Number(number)) if method.is_of_integer() => {
                self.converted(Value::Number(number), ty)
            }
            ("operator as" | "operator implicit as", Value::Ranges(axes)) => Value::Ranges(axes),
            ("abs", Value::Number(number)) if method.is_math && number.range.least() >= 0 => {
                Value::Number(number)
            }
            _ => self.value_of_type(ty, None),
        }
    }

    /// `a.size()`, `s.length()` and `a.range()`, and the operators of one operand.
    fn size_or_range(&mut self, receiver: ExprId, of: &Value, name: &str) -> Value {
        let ty = self.body.expr(receiver).ty;
        let length = of.reference().and_then(|it| it.length);
        match (name, of, length) {
            ("length", _, Some(length)) if self.is_string(ty) => Value::Number(length),
            ("range", _, Some(length)) if self.is_rail_or_global_rail(ty) => {
                let range = Interval::between(length.range.least() - 1, length.range.greatest() - 1);
                let relation = Number::shifted(length.relation, Interval::constant(-1));
                let last = Number { range, relation, origin: None };
                Value::Ranges(vec![(Number::exactly(0), last)])
            }
            ("operator-", Value::Number(number), _) => self.arithmetic("-", ty, &Number::exactly(0), number),
            ("operator+", Value::Number(number), _) => Value::Number(*number),
            ("operator~", Value::Number(number), _) => self.arithmetic("-", ty, &Number::exactly(-1), number),
            _ => Value::Unknown,
        }
    }

    /// The operators of numbers and ranges.
    fn operation(
        &mut self,
        id: ExprId,
        method: MethodFacts<'_>,
        left: &Value,
        (right_id, right): (ExprId, &Value),
    ) -> Value {
        let ty = self.body.expr(id).ty;
        match (left, right) {
            (Value::Number(a), Value::Number(b)) => {
                let sign = method.name.strip_prefix("operator").unwrap_or("");
                if method.is_of_integer() {
                    if sign == ".." {
                        return Value::Ranges(vec![(*a, *b)]);
                    }
                    if let Some(comparison) = Comparison::from_symbol(sign) {
                        return a.decides(comparison, b).map_or(Value::Unknown, Value::Boolean);
                    }
                    if matches!(sign, "/" | "%") {
                        self.check_divisor(right_id, b, sign == "%");
                    }
                    return self.arithmetic(sign, ty, a, b);
                }
                let is_less = a.decides(Comparison::LessEqual, b);
                match (method.name, is_less) {
                    ("min", Some(true)) | ("max", Some(false)) if method.is_math => Value::Number(*a),
                    ("min", Some(false)) | ("max", Some(true)) if method.is_math => Value::Number(*b),
                    _ => Value::Unknown,
                }
            }
            (Value::Ranges(a), Value::Ranges(b)) if method.name == "operator*" => {
                Value::Ranges(a.iter().chain(b).copied().collect())
            }
            _ => Value::Unknown,
        }
    }

    /// Arithmetic of the integer type of the result.
    fn arithmetic(&self, sign: &str, ty: Ty, left: &Number, right: &Number) -> Value {
        let facts = self.facts.of_type(ty);
        let (Some(kind), Some(all)) = (facts.primitive, facts.integers()) else { return Value::Unknown };
        let bits = 8 * kind.size().unwrap_or(8);
        let Some(result) = left.range.binary(sign, right.range, bits) else {
            return Value::Number(Number::within(all));
        };
        let (range, is_whole) = result.wrapped(all);
        let relation = is_whole.then(|| self.relation_of(sign, left, right)).flatten();
        Value::Number(Number { range, relation, origin: None })
    }

    pub(super) fn new_object(&mut self, id: ExprId) -> Value {
        let body = self.body;
        let ExprKind::New { outer, class, args, .. } = &body.expr(id).kind else { return Value::Unknown };
        outer.iter().for_each(|it| {
            self.expr(*it);
        });
        let values: Vec<Value> = args.iter().map(|it| self.expr(*it)).collect();
        self.leave_by_call(id);
        let ty = Ty::this_type(self.db, *class);
        if ty.is_struct(self.db) && ty.global_rail_element(self.db).is_none() {
            return Value::Unknown;
        }
        let length = match (&args[..], &values[..]) {
            ([size, ..], [Value::Number(count), ..]) if ty.rail_element(self.db).is_some() => {
                self.check_size(*size, count);
                let possible = Number::within(Interval::between(0, MAX_LENGTH));
                let length = count.range.intersect(possible.range).map(|range| Number { range, ..*count });
                if length.is_some() {
                    self.narrow(*size, *count, Comparison::Equal, possible);
                }
                length
            }
            ([], []) if ty.rail_element(self.db).is_some() => Some(Number::exactly(0)),
            ([_], [Value::Reference(from)]) if self.is_rail_or_global_rail(ty) => from.length,
            _ => None,
        };
        let origin = Some(body.expr(id).range);
        Value::Reference(Reference { is_null: Some(false), length, origin })
    }

    fn check_size(&mut self, size: ExprId, count: &Number) {
        if count.range.greatest() < 0 {
            let count = count.extent();
            self.report(self.range(size), |occasion| NegativeSize { count, occasion }.into());
        }
    }

    fn check_divisor(&mut self, divisor: ExprId, value: &Number, is_remainder: bool) {
        if value.range.as_constant() != Some(0) {
            return;
        }
        let origin = value.origin;
        self.report(self.range(divisor), |occasion| {
            DivisionByZero { divisor, origin, is_remainder, occasion }.into()
        });
    }

    fn check_index(&mut self, receiver: ExprId, of: &Value, (at, index): (ExprId, &Value)) {
        let ty = self.body.expr(receiver).ty;
        let container = match ty {
            _ if self.is_string(ty) => Container::String,
            _ if self.is_rail_or_global_rail(ty) => Container::Rail,
            _ => return,
        };
        let (Some(index), true) = (index.number(), self.state.live) else { return };
        let reference = of.reference();
        let length = reference.and_then(|it| it.length);
        let is_negative = index.range.greatest() < 0;
        let is_too_great =
            length.is_some_and(|it| index.decides(Comparison::GreaterEqual, &it) == Some(true));
        if !is_negative && !is_too_great {
            return;
        }
        let index_amount = match (index.relation, length.and_then(|it| it.exact_relation())) {
            // The same terms show that one is not less than the other.
            (Some(index), Some((symbol, _))) if is_too_great && symbol == index.symbol => {
                match index.is_exact {
                    true => Amount::Offset(symbol, index.offset),
                    false => Amount::AtLeastOffset(symbol, index.offset),
                }
            }
            _ if is_negative => index.extent(),
            _ => index.amount(),
        };
        let length_amount = length.filter(|_| !is_negative).map(|it| it.amount());
        let problem = |occasion| {
            IndexOutOfBounds {
                container,
                receiver,
                index: at,
                value: index_amount,
                length: length_amount,
                index_origin: index.origin,
                made: reference.and_then(|it| it.origin),
                occasion,
            }
            .into()
        };
        self.report(self.range(at), problem);
    }

    /// An object is used, which must not be `null`.
    pub(super) fn check_null(&mut self, object: ExprId, value: &Value) {
        if !value.is_null() {
            return;
        }
        let origin = value.reference().and_then(|it| it.origin);
        self.report(self.range(object), |occasion| NullDereference { object, origin, occasion }.into());
        // Its further uses are not reported.
        self.narrow_nullness(object, false, None);
    }
}
