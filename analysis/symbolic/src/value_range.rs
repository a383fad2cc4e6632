//! Value ranges: the reduced product of intervals and residue classes (Cousot and Cousot, *Systematic design
//! of program analysis frameworks*, POPL 1979; the strided intervals of Balakrishnan and Reps, CC 2004).

use std::fmt;

use crate::affine::Affine;
use crate::congruence::Congruence;
use crate::integer::gcd;
use crate::interval::Interval;
use crate::operator::BinaryOp;

/// The members of an interval that are also members of a residue class. Bounds of the interval are members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueRange {
    interval: Interval,
    congruence: Congruence,
}

impl ValueRange {
    /// All integers.
    pub const ALL: ValueRange = ValueRange { interval: Interval::ALL, congruence: Congruence::ALL };

    /// One integer.
    pub const fn constant(value: i64) -> ValueRange {
        ValueRange { interval: Interval::constant(value), congruence: Congruence::constant(value) }
    }

    /// The members of both; `None` if there are none. The bounds are moved to members of the class.
    pub fn new(interval: Interval, congruence: Congruence) -> Option<ValueRange> {
        if let Some(value) = congruence.as_constant() {
            return interval.contains(value).then_some(ValueRange::constant(value));
        }
        let modulus = i128::from(congruence.modulus());
        let remainder = i128::from(congruence.remainder());
        let up = |low: i64| i128::from(low) + (remainder - i128::from(low)).rem_euclid(modulus);
        let down = |high: i64| i128::from(high) - (i128::from(high) - remainder).rem_euclid(modulus);
        let low = match interval.low.map(up) {
            Some(low) => Some(i64::try_from(low).ok()?),
            None => None,
        };
        let high = match interval.high.map(down) {
            Some(high) => Some(i64::try_from(high).ok()?),
            None => None,
        };
        match (low, high) {
            (Some(low), Some(high)) if low > high => None,
            (Some(low), Some(high)) if low == high => Some(ValueRange::constant(low)),
            _ => Some(ValueRange { interval: Interval { low, high }, congruence }),
        }
    }

    /// The members of an interval.
    pub fn from_interval(interval: Interval) -> ValueRange {
        match interval.as_constant() {
            Some(value) => ValueRange::constant(value),
            None => ValueRange { interval, congruence: Congruence::ALL },
        }
    }

    /// The bounds, which are members.
    pub fn interval(self) -> Interval {
        self.interval
    }

    /// The residue class.
    pub fn congruence(self) -> Congruence {
        self.congruence
    }

    /// Whether a value is a member.
    pub fn contains(self, value: i64) -> bool {
        self.interval.contains(value) && self.congruence.contains(value)
    }

    /// The smallest range that contains both: the join of the lattice.
    #[must_use]
    pub fn join(self, other: ValueRange) -> ValueRange {
        let interval = self.interval.hull(other.interval);
        ValueRange::reduced(interval, self.congruence.join(other.congruence))
    }

    /// Members of both ranges, or a superset of them; `None` if there are none.
    pub fn intersect(self, other: ValueRange) -> Option<ValueRange> {
        let interval = self.interval.intersect(other.interval)?;
        ValueRange::new(interval, self.congruence.intersect(other.congruence)?)
    }

    /// The values of an affine form whose symbols are in given ranges.
    pub fn of_affine<S: Ord + Clone>(form: &Affine<S>, range_of: impl Fn(&S) -> ValueRange) -> ValueRange {
        form.terms().fold(ValueRange::constant(form.constant), |sum, (symbol, coefficient)| {
            sum + range_of(symbol) * ValueRange::constant(*coefficient)
        })
    }

    /// The integers that are not negative.
    pub const NATURAL: ValueRange =
        ValueRange { interval: Interval { low: Some(0), high: None }, congruence: Congruence::ALL };

    /// The only member.
    pub fn as_constant(self) -> Option<i64> {
        self.interval.as_constant()
    }

    /// Whether no member is negative.
    pub fn is_non_negative(self) -> bool {
        self.interval.is_non_negative()
    }

    /// Whether all members are multiples of a number.
    pub fn is_multiple_of(self, number: u64) -> bool {
        self.congruence.is_multiple_of(number)
    }

    /// Widening: a bound that grew from `self` to `next` becomes zero, if zero bounds `next` as well, and
    /// infinite otherwise. The class of `next` is kept: moduli can only get smaller finitely often.
    #[must_use]
    pub fn widen(self, next: ValueRange) -> ValueRange {
        let interval = self.interval.widen(next.interval, &[0]);
        ValueRange::reduced(interval, next.congruence)
    }

    /// A superset of the results of an operation, barring overflow: known bits of results are those that
    /// sign, magnitude and residue class determine.
    #[must_use]
    pub fn binary(op: BinaryOp, left: ValueRange, right: ValueRange) -> ValueRange {
        if let (Some(a), Some(b)) = (left.as_constant(), right.as_constant()) {
            return op.apply(a, b).map_or(ValueRange::ALL, ValueRange::constant);
        }
        let (a, b) = (left.interval, right.interval);
        let of = |interval: Option<Interval>, congruence| {
            ValueRange::reduced(interval.unwrap_or(Interval::ALL), congruence)
        };
        let zeros = |choose: fn(u32, u32) -> u32| {
            let (a, b) = (left.congruence.trailing_zeros(), right.congruence.trailing_zeros());
            Congruence::multiples_of(1 << choose(a, b))
        };
        // The remainder differs from the dividend by multiples of the divisor.
        let remainder = || {
            let divisor = right.as_constant().map_or(1, i64::unsigned_abs);
            Congruence::new(gcd(left.congruence.modulus(), divisor), left.congruence.remainder())
        };
        let power = || right.as_constant().filter(|it| (0..=62).contains(it)).map(|it| 1_i64 << it);
        match op {
            BinaryOp::Add => left + right,
            BinaryOp::Sub => left + right * ValueRange::constant(-1),
            BinaryOp::Mul => left * right,
            BinaryOp::FloorDiv => of(a.floor_divide(b), Congruence::ALL),
            BinaryOp::FloorMod => match right.as_constant() {
                Some(modulus) => of(a.floor_modulo(modulus), remainder()),
                None => ValueRange::ALL,
            },
            BinaryOp::TruncDiv => of(a.truncated_divide(b), Congruence::ALL),
            BinaryOp::TruncRem => of(a.truncated_remainder(b), remainder()),
            BinaryOp::Min => of(Some(a.min(b)), left.congruence.join(right.congruence)),
            BinaryOp::Max => of(Some(a.max(b)), left.congruence.join(right.congruence)),
            BinaryOp::And => of(Some(a.bit_and(b)), zeros(u32::max)),
            BinaryOp::Or => of(Some(a.bit_or(b)), zeros(u32::min)),
            BinaryOp::Xor => of(Some(a.bit_xor(b)), zeros(u32::min)),
            BinaryOp::Shl => power().map_or(ValueRange::ALL, |it| left * ValueRange::constant(it)),
            BinaryOp::Shr => match power() {
                Some(power) => of(a.floor_divide(Interval::constant(power)), Congruence::ALL),
                None => ValueRange::ALL,
            },
        }
    }

    /// The product of two abstractions of the same non-empty set.
    fn reduced(interval: Interval, congruence: Congruence) -> ValueRange {
        ValueRange::new(interval, congruence).unwrap_or(ValueRange::from_interval(interval))
    }
}

/// Sums of members.
impl std::ops::Add for ValueRange {
    type Output = ValueRange;

    fn add(self, other: ValueRange) -> ValueRange {
        ValueRange::reduced(self.interval + other.interval, self.congruence + other.congruence)
    }
}

/// Products of members.
impl std::ops::Mul for ValueRange {
    type Output = ValueRange;

    fn mul(self, other: ValueRange) -> ValueRange {
        ValueRange::reduced(self.interval * other.interval, self.congruence * other.congruence)
    }
}

impl fmt::Display for ValueRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.congruence.modulus() {
            0 | 1 => write!(f, "{}", self.interval),
            _ => write!(f, "{} in {}", self.interval, self.congruence),
        }
    }
}
