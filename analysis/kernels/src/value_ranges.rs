//! Value ranges of the variables of a kernel: a flow-insensitive analysis in the domain of
//! [`apg_symbolic::ValueRange`] with widening (Cousot and Cousot, POPL 1977).
//!
//! Overflow is not considered: an index that counts up from zero is taken not to be negative. Division rounds
//! towards zero, so `i / 32` is the index of a warp only if `i` counts from a non-negative multiple of 32.

use apg_symbolic::integer::gcd;
use apg_symbolic::{BinaryOp, Congruence, Interval, ValueRange};
use rustc_hash::FxHashMap;

use crate::Variable;
use crate::expression::{Expr, IntegerType};
use crate::index::Operator;
use crate::model::{Kernel, Stmt, for_each_stmt};

/// Rounds without widening: loops of few iterations keep their bounds.
const EXACT_ROUNDS: usize = 3;
/// Maximum number of rounds; variables that still change then may have any value.
const MAX_ROUNDS: usize = 40;

/// A value that a variable gets.
enum Definition<'k, V, S> {
    /// That of an expression.
    Value(&'k Expr<V, S>),
    /// All between two expressions.
    Between(&'k Expr<V, S>, &'k Expr<V, S>),
    /// One of these.
    Range(ValueRange),
}

/// The ranges of the variables of a kernel.
#[derive(Debug)]
pub(crate) struct ValueRanges<V> {
    /// Ranges of variables whose definitions are all known; `None` before the first one.
    ranges: FxHashMap<V, Option<ValueRange>>,
}

impl<V: Variable> ValueRanges<V> {
    /// The ranges of all variables of a kernel that definitions bound.
    pub(crate) fn new<S>(kernel: &Kernel<V, S>) -> ValueRanges<V> {
        let definitions = definitions(kernel);
        let mut ranges = ValueRanges { ranges: definitions.keys().map(|it| (*it, None)).collect() };
        for round in 0..MAX_ROUNDS {
            let mut changed = false;
            for (variable, all) in &definitions {
                let found = all.iter().filter_map(|it| ranges.of_definition(it));
                let Some(next) = found.reduce(ValueRange::join) else { continue };
                let old = ranges.ranges.get(variable).copied().flatten();
                let new = match old {
                    Some(old) if round >= EXACT_ROUNDS => old.widen(old.join(next)),
                    Some(old) => old.join(next),
                    None => next,
                };
                changed |= old != Some(new);
                ranges.ranges.insert(*variable, Some(new));
            }
            if !changed {
                return ranges;
            }
        }
        ValueRanges { ranges: FxHashMap::default() }
    }

    /// A superset of the values of an expression.
    pub(crate) fn range<S>(&self, expr: &Expr<V, S>) -> ValueRange {
        self.known(expr).unwrap_or(ValueRange::ALL)
    }

    /// The range of an expression; `None` if it refers to a variable without a value yet.
    fn known<S>(&self, expr: &Expr<V, S>) -> Option<ValueRange> {
        Some(match expr {
            Expr::Constant(value) => ValueRange::constant(*value),
            Expr::Variable(_, Some(value)) => ValueRange::constant(*value),
            Expr::Variable(variable, None) => match self.ranges.get(variable) {
                Some(known) => (*known)?,
                None => ValueRange::ALL,
            },
            Expr::Binary(op, left, right) => binary(*op, self.known(left)?, self.known(right)?),
            Expr::Select(_, then, otherwise) => match (self.known(then), self.known(otherwise)) {
                (Some(then), Some(otherwise)) => then.join(otherwise),
                (then, otherwise) => then.or(otherwise)?,
            },
            Expr::Convert(ty, it) => convert(*ty, self.known(it)?),
            Expr::Natural(it) => {
                let range = self.known(it)?;
                range.intersect(ValueRange::NATURAL).unwrap_or(ValueRange::NATURAL)
            }
            Expr::Located(_, it) => self.known(it)?,
            Expr::Truth(_) | Expr::Load(_) | Expr::Function(_) | Expr::Opaque(_) | Expr::Unknown => {
                ValueRange::ALL
            }
        })
    }

    fn of_definition<S>(&self, definition: &Definition<'_, V, S>) -> Option<ValueRange> {
        match definition {
            Definition::Value(expr) => self.known(expr),
            Definition::Between(low, high) => {
                let (low, high) = (self.known(low)?.interval(), self.known(high)?.interval());
                let between = Interval { low: low.low, high: high.high };
                Some(ValueRange::from_interval(between.intersect(Interval::ALL).unwrap_or(low)))
            }
            Definition::Range(range) => Some(*range),
        }
    }
}

fn binary(op: Operator, left: ValueRange, right: ValueRange) -> ValueRange {
    match op {
        Operator::Arithmetic(op) => ValueRange::binary(op, left, right),
        Operator::UnsignedShr if left.is_non_negative() => ValueRange::binary(BinaryOp::Shr, left, right),
        Operator::UnsignedShr => ValueRange::ALL,
    }
}

/// Values that fit into the type are kept, as are those without a bound, which are taken not to overflow. Of
/// others the low bits are known.
fn convert(ty: IntegerType, range: ValueRange) -> ValueRange {
    let bits = ty.bits.min(64);
    let (low, high) = match ty.is_signed {
        true => (Some(i64::MIN >> (64 - bits)), Some(i64::MAX >> (64 - bits))),
        false if bits == 64 => (Some(0), None),
        false => (Some(0), Some((1 << bits) - 1)),
    };
    // Values that wrap move by multiples of the number of values of the type.
    let modulus = gcd(range.congruence().modulus(), 1 << bits.min(62));
    let class = Congruence::new(modulus, range.congruence().remainder());
    let bounds = Interval { low, high };
    let of_type = ValueRange::new(bounds, class).unwrap_or(ValueRange::from_interval(bounds));
    let Interval { low: least, high: greatest } = range.interval();
    let fits = match ty.is_signed {
        true => {
            least.is_none_or(|it| low.is_none_or(|low| low <= it))
                && greatest.is_none_or(|it| high.is_none_or(|high| it <= high))
        }
        false => range.is_non_negative() && greatest.is_none_or(|it| high.is_none_or(|high| it <= high)),
    };
    if fits && (ty.is_wide() || greatest.is_some() && least.is_some()) { range } else { of_type }
}

/// All values of the variables of a kernel. Variables that get values nowhere are left out: captured ones,
/// and parameters of which nothing is known.
fn definitions<V: Variable, S>(kernel: &Kernel<V, S>) -> FxHashMap<V, Vec<Definition<'_, V, S>>> {
    let mut found: FxHashMap<V, Vec<Definition<'_, V, S>>> = FxHashMap::default();
    for axis in kernel.blocks.iter().chain(&kernel.threads) {
        if let Some(variable) = axis.variable {
            // An axis may be empty, and its last index unknown.
            found.entry(variable).or_default().push(Definition::Range(ValueRange::NATURAL));
        }
    }
    for (variable, value) in &kernel.captured_values {
        found.entry(*variable).or_default().push(Definition::Value(value));
    }
    for parameter in &kernel.parameters {
        found.entry(parameter.variable).or_default().push(Definition::Range(parameter.range));
    }
    for stmts in &kernel.body {
        for_each_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Declare(variable, Some(value)) | Stmt::Assign(variable, value) => {
                found.entry(*variable).or_default().push(Definition::Value(value));
            }
            Stmt::Range(it) => {
                let between = Definition::Between(&it.bounds.0, &it.bounds.1);
                found.entry(it.variable).or_default().push(between);
            }
            _ => {}
        });
    }
    found
}
