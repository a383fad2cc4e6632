//! Intervals of integers (Cousot and Cousot, *Abstract interpretation*, POPL 1977; Moore, *Interval
//! Analysis*, 1966).

use std::fmt;

/// The integers between two bounds, both included; `None` is unbounded. Empty intervals have no
/// representation: operations that may yield one return an `Option`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    /// Lower bound.
    pub low: Option<i64>,
    /// Upper bound.
    pub high: Option<i64>,
}

/// A bound of an interval: negative infinity, a number, or positive infinity. 128 bits hold any product.
type Bound = i128;

const NEGATIVE_INFINITY: Bound = Bound::MIN;
const POSITIVE_INFINITY: Bound = Bound::MAX;

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { low: None, high: None };

    /// One integer.
    pub const fn constant(value: i64) -> Interval {
        Interval { low: Some(value), high: Some(value) }
    }

    /// The integers from `low` to `high`; `None` if there are none.
    pub fn new(low: i64, high: i64) -> Option<Interval> {
        (low <= high).then_some(Interval { low: Some(low), high: Some(high) })
    }

    /// The only member.
    pub fn as_constant(self) -> Option<i64> {
        self.low.filter(|low| self.high == Some(*low))
    }

    /// Whether a value is a member.
    pub fn contains(self, value: i64) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }

    /// Number of members; `None` if there are more than `u64` counts.
    pub fn count(self) -> Option<u64> {
        let (low, high) = (self.low?, self.high?);
        u64::try_from(i128::from(high) - i128::from(low) + 1).ok()
    }

    /// The members of both intervals; `None` if there are none.
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        let larger = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.max(b)).or(a).or(b);
        let smaller = |a: Option<i64>, b: Option<i64>| a.zip(b).map(|(a, b)| a.min(b)).or(a).or(b);
        let (low, high) = (larger(self.low, other.low), smaller(self.high, other.high));
        match (low, high) {
            (Some(low), Some(high)) if low > high => None,
            _ => Some(Interval { low, high }),
        }
    }

    /// The smallest interval that contains both: the join of the lattice.
    pub fn hull(self, other: Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// Standard widening: a bound that grew from `self` to `next` becomes infinite.
    pub fn widen(self, next: Interval) -> Interval {
        Interval {
            low: self.low.filter(|low| next.low.is_some_and(|it| *low <= it)),
            high: self.high.filter(|high| next.high.is_some_and(|it| it <= *high)),
        }
    }

    /// Quotients rounded towards negative infinity; `None` if the divisor can only be zero.
    pub fn floor_divide(self, divisor: Interval) -> Option<Interval> {
        let quotient = |a: Bound, b: Bound| match (is_infinite(a), is_infinite(b)) {
            (true, _) => {
                if (a < 0) == (b < 0) {
                    POSITIVE_INFINITY
                } else {
                    NEGATIVE_INFINITY
                }
            }
            // A large divisor of the same sign leaves zero, one of the other sign -1.
            (false, true) => {
                if a == 0 || (a < 0) == (b < 0) {
                    0
                } else {
                    -1
                }
            }
            (false, false) => {
                let quotient = a.div_euclid(b);
                if b < 0 && a.rem_euclid(b) != 0 { quotient - 1 } else { quotient }
            }
        };
        divisor.map_signs(|part| Interval::of_corners(self, part, quotient))
    }

    /// Remainders of [`Interval::floor_divide`] by a positive number.
    pub fn floor_modulo(self, modulus: i64) -> Option<Interval> {
        if modulus <= 0 {
            return None;
        }
        // All members in one period keep their order.
        if let (Some(low), Some(high)) = (self.low, self.high)
            && low.div_euclid(modulus) == high.div_euclid(modulus)
        {
            return Interval::new(low.rem_euclid(modulus), high.rem_euclid(modulus));
        }
        Interval::new(0, modulus - 1)
    }

    /// Quotients rounded towards zero; `None` if the divisor can only be zero.
    pub fn truncated_divide(self, divisor: Interval) -> Option<Interval> {
        let quotient = |a: Bound, b: Bound| match (is_infinite(a), is_infinite(b)) {
            (true, _) if (a < 0) == (b < 0) => POSITIVE_INFINITY,
            (true, _) => NEGATIVE_INFINITY,
            (false, true) => 0,
            (false, false) => a / b,
        };
        divisor.map_signs(|part| Interval::of_corners(self, part, quotient))
    }

    /// Remainders of [`Interval::truncated_divide`], which have the sign of the dividend; `None` if the
    /// divisor can only be zero.
    pub fn truncated_remainder(self, divisor: Interval) -> Option<Interval> {
        divisor.map_signs(|part| {
            let least = part.abs_bounds().0;
            let greatest = part.abs_bounds().1;
            // Members nearer to zero than each divisor are their own remainders.
            if self.low.is_some_and(|low| i128::from(low) > -least)
                && self.high.is_some_and(|high| i128::from(high) < least)
            {
                return self;
            }
            let magnitude = greatest.and_then(|it| i64::try_from(it - 1).ok());
            let nearer = |own: Option<i64>, limit: Option<i64>, choose: fn(i64, i64) -> i64| {
                own.zip(limit).map(|(a, b)| choose(a, b)).or(own).or(limit)
            };
            let low = if self.low.is_none_or(|low| low < 0) {
                nearer(self.low, magnitude.map(|it| -it), i64::max)
            } else {
                Some(0)
            };
            let high = if self.high.is_none_or(|high| high > 0) {
                nearer(self.high, magnitude, i64::min)
            } else {
                Some(0)
            };
            Interval { low, high }
        })
    }

    /// Bitwise conjunctions of members. One operand that is not negative bounds them.
    #[must_use]
    pub fn bit_and(self, other: Interval) -> Interval {
        let natural = [self, other].into_iter().filter(|it| it.is_non_negative());
        let bounds: Vec<Option<i64>> = natural.map(|it| it.high).collect();
        match bounds.is_empty() {
            true => Interval::ALL,
            false => Interval { low: Some(0), high: bounds.into_iter().flatten().min() },
        }
    }

    /// Bitwise disjunctions or exclusive disjunctions of members: below the next power of two if none is
    /// negative.
    #[must_use]
    pub fn bit_or(self, other: Interval) -> Interval {
        if !self.is_non_negative() || !other.is_non_negative() {
            return Interval::ALL;
        }
        let mask = |high: i64| i64::MAX.checked_shr(high.leading_zeros().saturating_sub(1)).unwrap_or(0);
        let high = self.high.zip(other.high).map(|(a, b)| mask(a.max(b)));
        Interval { low: Some(0), high }
    }

    /// Whether no member is negative.
    pub fn is_non_negative(self) -> bool {
        self.low.is_some_and(|low| low >= 0)
    }

    /// The least and the greatest magnitude of an interval of one sign.
    fn abs_bounds(self) -> (i128, Option<i128>) {
        let magnitude = |it: Option<i64>| it.map(|it| i128::from(it).abs());
        match self.is_non_negative() {
            true => (magnitude(self.low).unwrap_or(0), magnitude(self.high)),
            false => (magnitude(self.high).unwrap_or(0), magnitude(self.low)),
        }
    }

    /// The hull of the results for the negative and the positive members; `None` if there are neither.
    fn map_signs(self, result: impl Fn(Interval) -> Interval) -> Option<Interval> {
        let negative = self.intersect(Interval { low: None, high: Some(-1) });
        let positive = self.intersect(Interval { low: Some(1), high: None });
        match [negative, positive].map(|it| it.map(&result)) {
            [Some(a), Some(b)] => Some(a.hull(b)),
            [a, b] => a.or(b),
        }
    }

    /// Minima of members.
    #[must_use]
    pub fn min(self, other: Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.min(b)).or(self.high).or(other.high),
        }
    }

    /// Maxima of members.
    #[must_use]
    pub fn max(self, other: Interval) -> Interval {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.max(b)).or(self.low).or(other.low),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// The hull of an operation that is monotone in each operand, from its values at the corners.
    fn of_corners(a: Interval, b: Interval, value: impl Fn(Bound, Bound) -> Bound) -> Interval {
        let ends = |it: Interval| {
            [it.low.map_or(NEGATIVE_INFINITY, Bound::from), it.high.map_or(POSITIVE_INFINITY, Bound::from)]
        };
        let (mut low, mut high) = (POSITIVE_INFINITY, NEGATIVE_INFINITY);
        for first in ends(a) {
            for second in ends(b) {
                let corner = value(first, second);
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
        // Bounds beyond 64 bits are no bounds of any 64-bit value that the operation yields.
        Interval { low: i64::try_from(low).ok(), high: i64::try_from(high).ok() }
    }
}

fn is_infinite(bound: Bound) -> bool {
    bound == NEGATIVE_INFINITY || bound == POSITIVE_INFINITY
}

/// Sums of members.
impl std::ops::Add for Interval {
    type Output = Interval;

    fn add(self, other: Interval) -> Interval {
        let sum = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        Interval { low: sum(self.low, other.low), high: sum(self.high, other.high) }
    }
}

/// Negated members.
impl std::ops::Neg for Interval {
    type Output = Interval;

    fn neg(self) -> Interval {
        Interval { low: self.high.and_then(i64::checked_neg), high: self.low.and_then(i64::checked_neg) }
    }
}

/// Differences of members.
impl std::ops::Sub for Interval {
    type Output = Interval;

    fn sub(self, other: Interval) -> Interval {
        let difference = |a: Option<i64>, b: Option<i64>| a.zip(b).and_then(|(a, b)| a.checked_sub(b));
        Interval { low: difference(self.low, other.high), high: difference(self.high, other.low) }
    }
}

/// Products of members.
impl std::ops::Mul for Interval {
    type Output = Interval;

    fn mul(self, other: Interval) -> Interval {
        let product = |a: Bound, b: Bound| match (a, b) {
            (0, _) | (_, 0) => 0,
            _ if is_infinite(a) || is_infinite(b) => {
                if (a < 0) == (b < 0) {
                    POSITIVE_INFINITY
                } else {
                    NEGATIVE_INFINITY
                }
            }
            _ => a * b,
        };
        Interval::of_corners(self, other, product)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |it: Option<i64>, infinite: &str| it.map_or(infinite.to_owned(), |it| it.to_string());
        write!(f, "[{}, {}]", bound(self.low, "-inf"), bound(self.high, "inf"))
    }
}
