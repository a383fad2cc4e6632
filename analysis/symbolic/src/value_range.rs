//! Value ranges: the reduced product of intervals and residue classes (Cousot and Cousot, *Systematic design
//! of program analysis frameworks*, POPL 1979; the strided intervals of Balakrishnan and Reps, CC 2004).

use std::fmt;

use crate::affine::Affine;
use crate::congruence::Congruence;
use crate::interval::Interval;

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
