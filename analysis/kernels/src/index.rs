//! Affine forms of integer expressions, `16n * y + x + 1n` (Feautrier 1991; Dragon Book, 11.3), extended by
//! non-affine terms.
//!
//! A non-affine operation (`(x + 1) % 64`, `x ^ k`, `c ? a : b`) is a term of its own, which can be evaluated
//! for given values of its variables.

use std::cell::Cell;
use std::sync::Arc;

use apg_symbolic::{Affine, BinaryOp};

use crate::Variable;
use crate::condition::Condition;

/// Most terms of a form in which variables have been replaced, those of operations included.
pub const MAX_TERMS: usize = 200;

/// A linear combination of variables and non-affine values.
pub type Index<V> = Affine<Term<V>>;

/// A term that has a coefficient. Variables come before non-affine values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term<V> {
    /// A variable.
    Variable(V),
    /// A non-affine value.
    Operation(Arc<Operation<V>>),
}

/// A non-affine operation on affine forms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation<V> {
    /// A binary operation.
    Binary(Operator, Index<V>, Index<V>),
    /// One of two values.
    Select(Condition<V>, Index<V>, Index<V>),
}

/// A binary operation on integers of at least 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// An operation on mathematical integers.
    Arithmetic(BinaryOp),
    /// A right shift that fills with zeros, of an integer that is not negative.
    UnsignedShr,
}

impl Operator {
    /// Constant folding; `None` unless the result is the same for all integer types of at least 32 bits.
    pub fn apply(self, left: i64, right: i64) -> Option<i64> {
        let fits = |it: &i64| i32::try_from(*it).is_ok();
        if !fits(&left) || !fits(&right) {
            return None;
        }
        let shift = || (0..32).contains(&right);
        let result = match self {
            Operator::Arithmetic(BinaryOp::Shl) if left < 0 || !shift() => None,
            Operator::Arithmetic(BinaryOp::Shr) if !shift() => None,
            Operator::Arithmetic(op) => op.apply(left, right),
            Operator::UnsignedShr => (left >= 0 && shift()).then(|| left >> right),
        };
        result.filter(fits)
    }
}

/// The form of one variable.
pub fn variable<V: Variable>(variable: V) -> Index<V> {
    Affine::symbol(Term::Variable(variable))
}

/// The coefficient of a variable.
pub fn coefficient<V: Variable>(index: &Index<V>, variable: V) -> i64 {
    index.coefficient(&Term::Variable(variable))
}

/// One of two values, by a condition.
pub fn select<V: Variable>(condition: Condition<V>, then: Index<V>, otherwise: Index<V>) -> Index<V> {
    operation(Operation::Select(condition, then, otherwise))
}

/// A binary operation, kept affine where possible; `None` on overflow.
pub fn binary<V: Variable>(
    op: Operator,
    left: Index<V>,
    right: Index<V>,
    is_non_negative: &dyn Fn(V) -> bool,
) -> Option<Index<V>> {
    match op {
        Operator::Arithmetic(BinaryOp::Add) => return left.checked_add(&right),
        Operator::Arithmetic(BinaryOp::Sub) => return left.checked_sub(&right),
        _ => {}
    }
    if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
        return op.apply(*a, *b).map(Affine::from_constant);
    }
    match (op, left.as_constant(), right.as_constant()) {
        (Operator::Arithmetic(BinaryOp::Mul), Some(factor), _) => return right.checked_scale(*factor),
        (Operator::Arithmetic(BinaryOp::Mul), _, Some(factor)) => return left.checked_scale(*factor),
        (Operator::Arithmetic(BinaryOp::Shl), _, Some(by @ 0..=30)) => return left.checked_scale(1 << by),
        _ => {}
    }
    let left = match (op, right.as_constant()) {
        (Operator::Arithmetic(BinaryOp::TruncRem), Some(modulus))
            if is_sum_of_non_negatives(&left, is_non_negative) =>
        {
            without_multiples(left, *modulus)
        }
        (Operator::Arithmetic(BinaryOp::And), Some(mask))
            if *mask > 0 && (mask.unsigned_abs() + 1).is_power_of_two() =>
        {
            without_multiples(left, mask.checked_add(1)?)
        }
        _ => left,
    };
    if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
        return op.apply(*a, *b).map(Affine::from_constant);
    }
    Some(operation(Operation::Binary(op, left, right)))
}

fn operation<V: Variable>(operation: Operation<V>) -> Index<V> {
    Affine::symbol(Term::Operation(Arc::new(operation)))
}

/// Whether all terms are known to be non-negative.
fn is_sum_of_non_negatives<V: Variable>(index: &Index<V>, is_non_negative: &dyn Fn(V) -> bool) -> bool {
    index.constant >= 0
        && index.terms().all(|(term, factor)| {
            *factor >= 0 && matches!(term, Term::Variable(variable) if is_non_negative(*variable))
        })
}

/// Drops terms that are multiples of the modulus.
fn without_multiples<V: Variable>(mut index: Index<V>, modulus: i64) -> Index<V> {
    if modulus > 0 {
        index.retain(|_, factor| factor % modulus != 0);
    }
    index
}

/// Calls `visit` for all variables, including those of non-affine terms.
pub fn for_each_variable<V: Variable>(index: &Index<V>, visit: &mut dyn FnMut(V)) {
    index.terms().for_each(|(term, _)| term.for_each_variable(visit));
}

/// Whether a variable occurs.
pub fn mentions<V: Variable>(index: &Index<V>, variable: V) -> bool {
    let mut found = false;
    for_each_variable(index, &mut |it| found |= it == variable);
    found
}

/// The largest magnitude of any constant or coefficient.
pub fn max_magnitude<V: Variable>(index: &Index<V>) -> u64 {
    let of_term = |(term, factor): (&Term<V>, &i64)| match term {
        Term::Variable(_) => factor.unsigned_abs(),
        Term::Operation(it) => factor.unsigned_abs().max(it.max_magnitude()),
    };
    index.terms().map(of_term).max().unwrap_or(0).max(index.constant.unsigned_abs())
}

/// The value for given values of the variables; `None` if one is unknown or a non-affine operation overflows
/// 32 bits.
pub fn evaluate<V: Variable>(index: &Index<V>, value_of: &dyn Fn(V) -> Option<i64>) -> Option<i64> {
    index.evaluate(&|term| match term {
        Term::Variable(variable) => value_of(*variable),
        Term::Operation(it) => it.evaluate(value_of),
    })
}

/// The form in terms of other variables, those of the values; `None` if a variable has none, on overflow, or
/// if it could have more than [`MAX_TERMS`] terms: each replacement may multiply them.
pub fn replace<V: Variable, W: Variable>(
    index: &Index<V>,
    value_of: &dyn Fn(V) -> Option<Index<W>>,
) -> Option<Index<W>> {
    let left = Cell::new(MAX_TERMS.checked_sub(size(index))?);
    substitute(index, &|variable| within(&left, value_of(variable)?))
}

/// A value, if it has no more terms than are left.
pub(crate) fn within<V: Variable>(left: &Cell<usize>, value: Index<V>) -> Option<Index<V>> {
    left.set(left.get().checked_sub(size(&value))?);
    Some(value)
}

/// The number of terms, with those of operations.
pub(crate) fn size<V: Variable>(index: &Index<V>) -> usize {
    let of_operation = |it: &Operation<V>| match it {
        Operation::Binary(_, left, right) => size(left) + size(right),
        Operation::Select(condition, then, otherwise) => condition.size() + size(then) + size(otherwise),
    };
    let of_term = |term: &Term<V>| match term {
        Term::Variable(_) => 0,
        Term::Operation(it) => of_operation(it),
    };
    index.terms().map(|(term, _)| 1 + of_term(term)).sum()
}

/// [`replace`] without a limit.
pub(crate) fn substitute<V: Variable, W: Variable>(
    index: &Index<V>,
    value_of: &dyn Fn(V) -> Option<Index<W>>,
) -> Option<Index<W>> {
    let mut sum = Affine::from_constant(index.constant);
    for (term, factor) in index.terms() {
        let value = match term {
            Term::Variable(variable) => value_of(*variable)?,
            Term::Operation(it) => it.substitute(value_of)?,
        };
        sum = sum.add_scaled(*factor, &value)?;
    }
    Some(sum)
}

impl<V: Variable> Term<V> {
    /// Calls `visit` for all variables.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(V)) {
        match self {
            Term::Variable(variable) => visit(*variable),
            Term::Operation(it) => match &**it {
                Operation::Binary(_, left, right) => {
                    [left, right].into_iter().for_each(|it| for_each_variable(it, visit));
                }
                Operation::Select(condition, then, otherwise) => {
                    condition.for_each_variable(visit);
                    [then, otherwise].into_iter().for_each(|it| for_each_variable(it, visit));
                }
            },
        }
    }
}

impl<V: Variable> Operation<V> {
    fn evaluate(&self, value_of: &dyn Fn(V) -> Option<i64>) -> Option<i64> {
        match self {
            Operation::Binary(op, left, right) => {
                op.apply(evaluate(left, value_of)?, evaluate(right, value_of)?)
            }
            Operation::Select(condition, then, otherwise) => match condition.evaluate(value_of)? {
                true => evaluate(then, value_of),
                false => evaluate(otherwise, value_of),
            },
        }
    }

    fn substitute<W: Variable>(&self, value_of: &dyn Fn(V) -> Option<Index<W>>) -> Option<Index<W>> {
        match self {
            Operation::Binary(op, left, right) => {
                binary(*op, substitute(left, value_of)?, substitute(right, value_of)?, &|_| false)
            }
            Operation::Select(condition, then, otherwise) => Some(select(
                condition.substitute(value_of)?,
                substitute(then, value_of)?,
                substitute(otherwise, value_of)?,
            )),
        }
    }

    fn max_magnitude(&self) -> u64 {
        match self {
            Operation::Binary(_, a, b) => max_magnitude(a).max(max_magnitude(b)),
            Operation::Select(condition, a, b) => {
                condition.max_magnitude().max(max_magnitude(a)).max(max_magnitude(b))
            }
        }
    }
}
