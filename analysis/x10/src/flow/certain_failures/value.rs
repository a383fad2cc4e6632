//! Abstract values: numbers with an interval and a symbolic offset, references with nullness and length.

use apg_symbolic::Comparison;
use apg_syntax::TextRange;

use super::integer_types::{IntegerInterval, Interval};
use crate::rules::values::{Amount, Symbol};

/// The greatest length that a rail or string can have: more elements than any memory holds.
pub(super) const MAX_LENGTH: i128 = 1 << 48;

/// The least number whose sum with a symbol is kept as a bound.
const MIN_BOUND_OFFSET: i128 = -(1 << 31);

/// What is known of the value of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing.
    Unknown,
    /// An integer.
    Number(Number),
    /// A truth value.
    Boolean(bool),
    /// An object, or `null`.
    Reference(Reference),
    /// A range, or a product of ranges: the least and greatest number of each axis.
    Ranges(Vec<(Number, Number)>),
}

/// What is known of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The values it can have.
    pub(super) range: Interval,
    /// Its difference to a symbol.
    pub(super) relation: Option<Relation>,
    /// The expression that has given a variable this value.
    pub(super) origin: Option<TextRange>,
}

/// The difference of an integer to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) symbol: Symbol,
    pub(super) offset: i64,
    /// Whether it is exactly this difference, or this or a greater one.
    pub(super) is_exact: bool,
}

/// What is known of a reference.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Reference {
    /// Whether it is `null`, if known.
    pub(super) is_null: Option<bool>,
    /// The number of elements of a rail, or the length of a string.
    pub(super) length: Option<Number>,
    /// What has made it `null`, or has made the object.
    pub(super) origin: Option<TextRange>,
}

impl Number {
    /// A number in an interval, without relation.
    pub(super) fn within(range: Interval) -> Number {
        Number { range, relation: None, origin: None }
    }

    /// One number.
    pub(super) fn exactly(value: i128) -> Number {
        Number::within(Interval::constant(value))
    }

    /// The value of a symbol.
    pub(super) fn of_symbol(symbol: Symbol, range: Interval) -> Number {
        Number { range, relation: Some(Relation { symbol, offset: 0, is_exact: true }), origin: None }
    }

    /// The symbol and offset that it is equal to.
    pub(super) fn exact_relation(&self) -> Option<(Symbol, i64)> {
        self.relation.filter(|it| it.is_exact).map(|it| (it.symbol, it.offset))
    }

    /// Whether it has the same value at all points where its symbol has.
    pub(super) fn is_exact(&self) -> bool {
        self.range.as_constant().is_some() || self.exact_relation().is_some()
    }

    /// The words of its value.
    pub(super) fn amount(&self) -> Amount {
        match (self.range.as_constant(), self.relation) {
            (Some(value), _) => Amount::Exactly(value),
            (None, Some(Relation { symbol, offset, is_exact: true })) => Amount::Offset(symbol, offset),
            (None, _) => self.extent(),
        }
    }

    /// The words of the values it can have.
    pub(super) fn extent(&self) -> Amount {
        match self.range.as_constant() {
            Some(value) => Amount::Exactly(value),
            None => Amount::Between(self.range.least(), self.range.greatest()),
        }
    }

    /// The relation of the sum with a number in `by`, if the sum does not wrap.
    pub(super) fn shifted(relation: Option<Relation>, by: Interval) -> Option<Relation> {
        let relation = relation.filter(|_| by.least() > MIN_BOUND_OFFSET)?;
        let offset = i128::from(relation.offset) + by.least();
        let is_exact = relation.is_exact && by.as_constant().is_some();
        Some(Relation { offset: i64::try_from(offset).ok()?, is_exact, ..relation })
    }

    /// Whether a comparison with `other` holds, if that is known.
    pub(super) fn decides(&self, comparison: Comparison, other: &Number) -> Option<bool> {
        if let Some(decided) = self.range.decide(comparison, other.range) {
            return Some(decided);
        }
        let (a, b) = (self.relation?, other.relation?);
        if a.symbol != b.symbol {
            return None;
        }
        let difference = i128::from(a.offset) - i128::from(b.offset);
        match (a.is_exact, b.is_exact) {
            (true, true) => Some(comparison.holds(difference, 0)),
            // The difference is this or more.
            (false, true) => at_least(comparison, difference),
            (true, false) => at_least(comparison.mirrored(), -difference),
            (false, false) => None,
        }
    }

    fn join(&self, other: &Number, all: impl FnOnce(Interval) -> Interval) -> Number {
        let relation = match (self.relation, other.relation) {
            (Some(a), Some(b)) if a.symbol == b.symbol => Some(Relation {
                offset: a.offset.min(b.offset),
                is_exact: a.is_exact && b.is_exact && a.offset == b.offset,
                ..a
            }),
            _ => None,
        };
        let origin = self.origin.filter(|it| other.origin == Some(*it));
        Number { range: all(self.range.hull(other.range)), relation, origin }
    }
}

/// Whether a comparison holds for all differences from `least` on, or for none.
fn at_least(comparison: Comparison, least: i128) -> Option<bool> {
    match comparison {
        Comparison::Greater | Comparison::NotEqual if least > 0 => Some(true),
        Comparison::GreaterEqual if least >= 0 => Some(true),
        Comparison::Less if least >= 0 => Some(false),
        Comparison::LessEqual | Comparison::Equal if least > 0 => Some(false),
        _ => None,
    }
}

impl Value {
    /// The number, if it is one.
    pub(super) fn number(&self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The reference, if it is one.
    pub(super) fn reference(&self) -> Option<&Reference> {
        match self {
            Value::Reference(reference) => Some(reference),
            _ => None,
        }
    }

    /// Whether it is `null` for certain.
    pub(super) fn is_null(&self) -> bool {
        self.reference().is_some_and(|it| it.is_null == Some(true))
    }

    /// What is known of either of two values. `widened` makes an interval that is greater than that of
    /// `self` end somewhere.
    pub(super) fn join(&self, other: &Value, widened: &dyn Fn(Interval, Interval) -> Interval) -> Value {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (Value::Number(a), Value::Number(b)) => {
                let range = a.range;
                Value::Number(a.join(b, |joined| widened(range, joined)))
            }
            (Value::Reference(a), Value::Reference(b)) => {
                let length = a.length.zip(b.length).map(|(a, b)| {
                    let range = a.range;
                    a.join(&b, |joined| widened(range, joined))
                });
                let is_null = a.is_null.filter(|it| b.is_null == Some(*it));
                let origin = a.origin.filter(|it| b.origin == Some(*it));
                match (is_null, length) {
                    (None, None) => Value::Unknown,
                    _ => Value::Reference(Reference { is_null, length, origin }),
                }
            }
            _ => Value::Unknown,
        }
    }

    /// Whether it is relative to such a symbol.
    pub(super) fn mentions(&self, is_it: &dyn Fn(Symbol) -> bool) -> bool {
        let mentions = |number: &Number| number.relation.is_some_and(|it| is_it(it.symbol));
        match self {
            Value::Number(number) => mentions(number),
            Value::Reference(it) => it.length.as_ref().is_some_and(mentions),
            Value::Ranges(axes) => axes.iter().any(|(low, high)| mentions(low) || mentions(high)),
            Value::Unknown | Value::Boolean(_) => false,
        }
    }

    /// The same without relations to a symbol.
    pub(super) fn without(&self, is_gone: &dyn Fn(Symbol) -> bool) -> Value {
        let clean = |number: &Number| Number {
            relation: number.relation.filter(|it| !is_gone(it.symbol)),
            ..*number
        };
        match self {
            Value::Number(number) => Value::Number(clean(number)),
            Value::Reference(it) => {
                Value::Reference(Reference { length: it.length.as_ref().map(clean), ..it.clone() })
            }
            Value::Ranges(axes) => {
                Value::Ranges(axes.iter().map(|(low, high)| (clean(low), clean(high))).collect())
            }
            Value::Unknown | Value::Boolean(_) => self.clone(),
        }
    }
}
