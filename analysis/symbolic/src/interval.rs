//! Intervals of integers (Cousot and Cousot, *Abstract interpretation*, POPL 1977; Moore, *Interval
//! Analysis*, 1966).

use std::fmt::{self, Debug, Display};

use crate::operator::Comparison;

/// The signed integers that bound an interval: 64 bits, or 128 for values of all 64-bit types and their sums
/// and products.
pub trait Bound: Copy + Ord + Debug + Display + From<i8> + Into<i128> + TryFrom<i128> {}

impl Bound for i64 {}

impl Bound for i128 {}

/// The integers between two bounds, both included; `None` is unbounded. Empty intervals have no
/// representation: operations that may yield one return an `Option`. A bound that exceeds `N` is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval<N = i64> {
    /// Lower bound.
    pub low: Option<N>,
    /// Upper bound.
    pub high: Option<N>,
}

/// A bound in computations: negative infinity, a number, or positive infinity.
type Extended = i128;

const NEGATIVE_INFINITY: Extended = Extended::MIN;
const POSITIVE_INFINITY: Extended = Extended::MAX;

impl<N: Bound> Interval<N> {
    /// All integers.
    pub const ALL: Interval<N> = Interval { low: None, high: None };

    /// One integer.
    pub const fn constant(value: N) -> Interval<N> {
        Interval { low: Some(value), high: Some(value) }
    }

    /// The integers from `low` to `high`; `None` if there are none.
    pub fn new(low: N, high: N) -> Option<Interval<N>> {
        (low <= high).then_some(Interval { low: Some(low), high: Some(high) })
    }

    /// The only member.
    pub fn as_constant(self) -> Option<N> {
        self.low.filter(|low| self.high == Some(*low))
    }

    /// Whether a value is a member.
    pub fn contains(self, value: N) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }

    /// Whether all members of another interval are members.
    pub fn contains_all(self, other: Interval<N>) -> bool {
        self.low.is_none_or(|low| other.low.is_some_and(|it| low <= it))
            && self.high.is_none_or(|high| other.high.is_some_and(|it| it <= high))
    }

    /// Number of members; `None` if there are more than `u64` counts.
    pub fn count(self) -> Option<u64> {
        let (low, high): (i128, i128) = (self.low?.into(), self.high?.into());
        u64::try_from(high.checked_sub(low)?.checked_add(1)?).ok()
    }

    /// The members of both intervals; `None` if there are none.
    pub fn intersect(self, other: Interval<N>) -> Option<Interval<N>> {
        let larger = |a: Option<N>, b: Option<N>| a.zip(b).map(|(a, b)| a.max(b)).or(a).or(b);
        let smaller = |a: Option<N>, b: Option<N>| a.zip(b).map(|(a, b)| a.min(b)).or(a).or(b);
        let (low, high) = (larger(self.low, other.low), smaller(self.high, other.high));
        match (low, high) {
            (Some(low), Some(high)) if low > high => None,
            _ => Some(Interval { low, high }),
        }
    }

    /// The smallest interval that contains both: the join of the lattice.
    pub fn hull(self, other: Interval<N>) -> Interval<N> {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// Widening with thresholds (Blanchet and others, PLDI 2003): a bound that grew from `self` to `next`
    /// becomes the nearest threshold beyond `next`, and infinite if there is none. `thresholds` ascend.
    #[must_use]
    pub fn widen(self, next: Interval<N>, thresholds: &[N]) -> Interval<N> {
        let low = match (self.low, next.low) {
            (Some(low), Some(next)) if low <= next => Some(low),
            (Some(_), Some(next)) => thresholds.iter().copied().rfind(|it| *it <= next),
            _ => None,
        };
        let high = match (self.high, next.high) {
            (Some(high), Some(next)) if next <= high => Some(high),
            (Some(_), Some(next)) => thresholds.iter().copied().find(|it| next <= *it),
            _ => None,
        };
        Interval { low, high }
    }

    /// The members that compare so with some member of `right`, or a superset of them; `None` if there are
    /// none.
    pub fn narrow(self, comparison: Comparison, right: Interval<N>) -> Option<Interval<N>> {
        let one = Interval::constant(N::from(1));
        let at_most = |high| self.intersect(Interval { low: None, high });
        let at_least = |low| self.intersect(Interval { low, high: None });
        match comparison {
            Comparison::Less => at_most((right - one).high),
            Comparison::LessEqual => at_most(right.high),
            Comparison::Greater => at_least((right + one).low),
            Comparison::GreaterEqual => at_least(right.low),
            Comparison::Equal => self.intersect(right),
            Comparison::NotEqual => {
                let Some(excluded) = right.as_constant() else { return Some(self) };
                let inner = Interval {
                    low: if self.low == Some(excluded) { (self + one).low } else { self.low },
                    high: if self.high == Some(excluded) { (self - one).high } else { self.high },
                };
                inner.intersect(Interval::ALL)
            }
        }
    }

    /// Whether a comparison holds for all pairs of members, or for none; `None` if for some.
    pub fn decide(self, comparison: Comparison, right: Interval<N>) -> Option<bool> {
        if self.narrow(comparison, right).is_none() {
            return Some(false);
        }
        self.narrow(comparison.negated(), right).is_none().then_some(true)
    }

    /// Quotients rounded towards negative infinity; `None` if the divisor can only be zero.
    pub fn floor_divide(self, divisor: Interval<N>) -> Option<Interval<N>> {
        let quotient = |a: Extended, b: Extended| match (is_infinite(a), is_infinite(b)) {
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
    pub fn floor_modulo(self, modulus: N) -> Option<Interval<N>> {
        let modulus: i128 = modulus.into();
        if modulus <= 0 {
            return None;
        }
        let interval = |low: i128, high: i128| Interval { low: bound(low), high: bound(high) };
        // All members in one period keep their order.
        if let (Some(low), Some(high)) = (self.low.map(Into::into), self.high.map(Into::into))
            && i128::div_euclid(low, modulus) == i128::div_euclid(high, modulus)
        {
            return Some(interval(low.rem_euclid(modulus), high.rem_euclid(modulus)));
        }
        Some(interval(0, modulus - 1))
    }

    /// Quotients rounded towards zero; `None` if the divisor can only be zero.
    pub fn truncated_divide(self, divisor: Interval<N>) -> Option<Interval<N>> {
        let quotient = |a: Extended, b: Extended| match (is_infinite(a), is_infinite(b)) {
            (true, _) if (a < 0) == (b < 0) => POSITIVE_INFINITY,
            (true, _) => NEGATIVE_INFINITY,
            (false, true) => 0,
            (false, false) => a / b,
        };
        divisor.map_signs(|part| Interval::of_corners(self, part, quotient))
    }

    /// Remainders of [`Interval::truncated_divide`], which have the sign of the dividend; `None` if the
    /// divisor can only be zero.
    pub fn truncated_remainder(self, divisor: Interval<N>) -> Option<Interval<N>> {
        if let (Some(a), Some(b)) = (self.as_constant(), divisor.as_constant()) {
            return a.into().checked_rem(b.into()).map(Interval::of_extended);
        }
        divisor.map_signs(|part| {
            let (least, greatest) = part.magnitudes();
            // Members nearer to zero than each divisor are their own remainders.
            if self.low.is_some_and(|low| low.into() > -least)
                && self.high.is_some_and(|high| high.into() < least)
            {
                return self;
            }
            let zero = N::from(0);
            let limit = greatest.map(|it| it - 1);
            let below = Interval { low: limit.and_then(|it| bound(-it)), high: None };
            let above = Interval { low: None, high: limit.and_then(bound) };
            let low = if self.low.is_none_or(|low| low < zero) {
                self.low.map_or(below.low, |low| below.low.map_or(Some(low), |it| Some(low.max(it))))
            } else {
                Some(zero)
            };
            let high = if self.high.is_none_or(|high| high > zero) {
                self.high.map_or(above.high, |high| above.high.map_or(Some(high), |it| Some(high.min(it))))
            } else {
                Some(zero)
            };
            Interval { low, high }
        })
    }

    /// Bitwise conjunctions of members. One operand that is not negative bounds them.
    #[must_use]
    pub fn bit_and(self, other: Interval<N>) -> Interval<N> {
        if let Some((a, b)) = self.constants(other) {
            return Interval::of_extended(a & b);
        }
        let natural = [self, other].into_iter().filter(|it| it.is_non_negative());
        let bounds: Vec<Option<N>> = natural.map(|it| it.high).collect();
        match bounds.is_empty() {
            true => Interval::ALL,
            false => Interval { low: Some(N::from(0)), high: bounds.into_iter().flatten().min() },
        }
    }

    /// Bitwise disjunctions of members: below the next power of two if none is negative.
    #[must_use]
    pub fn bit_or(self, other: Interval<N>) -> Interval<N> {
        match self.constants(other) {
            Some((a, b)) => Interval::of_extended(a | b),
            None => self.below_power_of_two(other),
        }
    }

    /// Bitwise exclusive disjunctions of members: below the next power of two if none is negative.
    #[must_use]
    pub fn bit_xor(self, other: Interval<N>) -> Interval<N> {
        match self.constants(other) {
            Some((a, b)) => Interval::of_extended(a ^ b),
            None => self.below_power_of_two(other),
        }
    }

    /// The natural numbers below the next power of two of both intervals; all integers if one of them has
    /// negative members.
    fn below_power_of_two(self, other: Interval<N>) -> Interval<N> {
        if !self.is_non_negative() || !other.is_non_negative() {
            return Interval::ALL;
        }
        let mask = |high: i128| i128::MAX.checked_shr(high.leading_zeros().saturating_sub(1)).unwrap_or(0);
        let high = self.high.zip(other.high).and_then(|(a, b)| bound(mask(a.max(b).into())));
        Interval { low: Some(N::from(0)), high }
    }

    /// The only members of both.
    fn constants(self, other: Interval<N>) -> Option<(i128, i128)> {
        Some((self.as_constant()?.into(), other.as_constant()?.into()))
    }

    fn of_extended(value: Extended) -> Interval<N> {
        Interval { low: bound(value), high: bound(value) }
    }

    /// Whether no member is negative.
    pub fn is_non_negative(self) -> bool {
        self.low.is_some_and(|low| low >= N::from(0))
    }

    /// The least and the greatest magnitude of an interval of one sign.
    fn magnitudes(self) -> (i128, Option<i128>) {
        let magnitude = |it: Option<N>| it.and_then(|it| it.into().checked_abs());
        match self.is_non_negative() {
            true => (magnitude(self.low).unwrap_or(0), magnitude(self.high)),
            false => (magnitude(self.high).unwrap_or(0), magnitude(self.low)),
        }
    }

    /// The hull of the results for the negative and the positive members; `None` if there are neither.
    fn map_signs(self, result: impl Fn(Interval<N>) -> Interval<N>) -> Option<Interval<N>> {
        let negative = self.intersect(Interval { low: None, high: Some(N::from(-1)) });
        let positive = self.intersect(Interval { low: Some(N::from(1)), high: None });
        match [negative, positive].map(|it| it.map(&result)) {
            [Some(a), Some(b)] => Some(a.hull(b)),
            [a, b] => a.or(b),
        }
    }

    /// Minima of members.
    #[must_use]
    pub fn min(self, other: Interval<N>) -> Interval<N> {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.min(b)),
            high: self.high.zip(other.high).map(|(a, b)| a.min(b)).or(self.high).or(other.high),
        }
    }

    /// Maxima of members.
    #[must_use]
    pub fn max(self, other: Interval<N>) -> Interval<N> {
        Interval {
            low: self.low.zip(other.low).map(|(a, b)| a.max(b)).or(self.low).or(other.low),
            high: self.high.zip(other.high).map(|(a, b)| a.max(b)),
        }
    }

    /// The hull of an operation that is monotone in each operand, from its values at the corners.
    fn of_corners(
        a: Interval<N>,
        b: Interval<N>,
        value: impl Fn(Extended, Extended) -> Extended,
    ) -> Interval<N> {
        let ends = |it: Interval<N>| {
            [it.low.map_or(NEGATIVE_INFINITY, N::into), it.high.map_or(POSITIVE_INFINITY, N::into)]
        };
        let (mut low, mut high) = (POSITIVE_INFINITY, NEGATIVE_INFINITY);
        for first in ends(a) {
            for second in ends(b) {
                let corner = value(first, second);
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
        Interval { low: bound(low), high: bound(high) }
    }
}

impl Interval {
    /// Products of members with a constant: as a product of intervals, without arithmetic of 128 bits.
    #[must_use]
    pub fn scale(self, factor: i64) -> Interval {
        let product = |it: Option<i64>| it.and_then(|it| it.checked_mul(factor));
        match factor {
            0 => Interval::constant(0),
            1.. => Interval { low: product(self.low), high: product(self.high) },
            _ => Interval { low: product(self.high), high: product(self.low) },
        }
    }
}

/// A bound of an interval; `None` if it is infinite or exceeds the type, which has no values beyond.
fn bound<N: Bound>(value: Extended) -> Option<N> {
    if is_infinite(value) { None } else { N::try_from(value).ok() }
}

fn is_infinite(bound: Extended) -> bool {
    bound == NEGATIVE_INFINITY || bound == POSITIVE_INFINITY
}

fn sum<N: Bound>(a: Option<N>, b: Option<N>) -> Option<N> {
    bound(a?.into().checked_add(b?.into())?)
}

fn difference<N: Bound>(a: Option<N>, b: Option<N>) -> Option<N> {
    bound(a?.into().checked_sub(b?.into())?)
}

/// Sums of members.
impl<N: Bound> std::ops::Add for Interval<N> {
    type Output = Interval<N>;

    fn add(self, other: Interval<N>) -> Interval<N> {
        Interval { low: sum(self.low, other.low), high: sum(self.high, other.high) }
    }
}

/// Negated members.
impl<N: Bound> std::ops::Neg for Interval<N> {
    type Output = Interval<N>;

    fn neg(self) -> Interval<N> {
        Interval::constant(N::from(0)) - self
    }
}

/// Differences of members.
impl<N: Bound> std::ops::Sub for Interval<N> {
    type Output = Interval<N>;

    fn sub(self, other: Interval<N>) -> Interval<N> {
        Interval { low: difference(self.low, other.high), high: difference(self.high, other.low) }
    }
}

/// Products of members.
impl<N: Bound> std::ops::Mul for Interval<N> {
    type Output = Interval<N>;

    fn mul(self, other: Interval<N>) -> Interval<N> {
        let product = |a: Extended, b: Extended| match a.checked_mul(b) {
            _ if a == 0 || b == 0 => 0,
            Some(product) if !is_infinite(a) && !is_infinite(b) => product,
            _ if (a < 0) == (b < 0) => POSITIVE_INFINITY,
            _ => NEGATIVE_INFINITY,
        };
        Interval::of_corners(self, other, product)
    }
}

impl<N: Bound> Display for Interval<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = |it: Option<N>, infinite: &str| it.map_or(infinite.to_owned(), |it| it.to_string());
        write!(f, "[{}, {}]", bound(self.low, "-inf"), bound(self.high, "inf"))
    }
}
