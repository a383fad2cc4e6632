//! Intervals of integers (Cousot and Cousot, POPL 1977) and the arithmetic of X10's integer types on them.
//!
//! Bounds are wide enough for all types, so that an operation first computes its mathematical result, and
//! [`Interval::wrapped`] then applies the wrapping of the type.

use crate::ty::known::Known;

/// The integers from `low` to `high`, both included; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    low: i128,
    high: i128,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    /// The comparison that holds where this one does not.
    pub(super) fn negated(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::GreaterOrEqual,
            Comparison::LessOrEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessOrEqual,
            Comparison::GreaterOrEqual => Comparison::Less,
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
        }
    }

    /// The comparison with its operands exchanged.
    pub(super) fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            Comparison::Equal | Comparison::NotEqual => self,
        }
    }

    /// The comparison that an operator's name stands for.
    pub(super) fn of_operator(sign: &str) -> Option<Comparison> {
        Some(match sign {
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    /// Whether it holds for two numbers with this difference.
    pub(super) fn holds_for_difference(self, difference: i128) -> bool {
        match self {
            Comparison::Less => difference < 0,
            Comparison::LessOrEqual => difference <= 0,
            Comparison::Greater => difference > 0,
            Comparison::GreaterOrEqual => difference >= 0,
            Comparison::Equal => difference == 0,
            Comparison::NotEqual => difference != 0,
        }
    }
}

impl Interval {
    /// One number.
    pub(super) fn exactly(value: i128) -> Interval {
        Interval { low: value, high: value }
    }

    /// The numbers between two, which are in order.
    pub(super) fn between(low: i128, high: i128) -> Interval {
        debug_assert!(low <= high);
        Interval { low, high }
    }

    /// All values of an integer type.
    pub(super) fn of_type(kind: Known) -> Option<Interval> {
        let bits = 8 * kind.size().filter(|_| kind.is_integer())?;
        Some(match kind.is_unsigned() {
            true => Interval::between(0, (1 << bits) - 1),
            false => Interval::between(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        })
    }

    /// The least number.
    pub(super) fn low(self) -> i128 {
        self.low
    }

    /// The greatest number.
    pub(super) fn high(self) -> i128 {
        self.high
    }

    /// The number, if there is only one.
    pub(super) fn single(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether a number is among them.
    pub(super) fn contains(self, value: i128) -> bool {
        (self.low..=self.high).contains(&value)
    }

    fn contains_all(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The least interval that contains both.
    pub(super) fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The numbers in both, if there are any.
    pub(super) fn meet(self, other: Interval) -> Option<Interval> {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        (low <= high).then_some(Interval { low, high })
    }

    /// Widening: a bound that `next` exceeds moves to the next of -1, 0 and 1, and then to that of `all`.
    pub(super) fn widen(self, next: Interval, all: Interval) -> Interval {
        let low = match next.low < self.low {
            true => [1, 0, -1].into_iter().find(|it| *it <= next.low).unwrap_or(all.low),
            false => self.low,
        };
        let high = match next.high > self.high {
            true => [-1, 0, 1].into_iter().find(|it| *it >= next.high).unwrap_or(all.high),
            false => self.high,
        };
        Interval { low, high }
    }

    /// The values of a type that the mathematical results in this interval wrap to, and whether none does.
    pub(super) fn wrapped(self, all: Interval) -> (Interval, bool) {
        if all.contains_all(self) {
            return (self, true);
        }
        let count = all.high - all.low + 1;
        match self.single() {
            Some(value) => (Interval::exactly((value - all.low).rem_euclid(count) + all.low), false),
            None => (all, false),
        }
    }

    /// The mathematical results of a binary operator; `None` if unknown. Results are not wrapped.
    pub(super) fn binary(self, sign: &str, right: Interval, bits: u32) -> Option<Interval> {
        match sign {
            "+" => Some(Interval { low: self.low + right.low, high: self.high + right.high }),
            "-" => Some(Interval { low: self.low - right.high, high: self.high - right.low }),
            "*" => self.corners(right, i128::checked_mul),
            "/" if !right.contains(0) => self.corners(right, i128::checked_div),
            "%" if !right.contains(0) => Some(self.remainder(right)),
            "&" => self.bitwise_and(right),
            "|" => Some(Interval::exactly(self.single()? | right.single()?)),
            "^" => Some(Interval::exactly(self.single()? ^ right.single()?)),
            "<<" | ">>" => {
                let count = right.single().filter(|it| (0..i128::from(bits)).contains(it))?;
                let power = Interval::exactly(1 << count);
                match sign {
                    "<<" => self.corners(power, i128::checked_mul),
                    _ => Some(Interval { low: self.low >> count, high: self.high >> count }),
                }
            }
            _ => None,
        }
    }

    /// The results of an operation that is monotonic in each operand, from the ends of both.
    fn corners(self, right: Interval, apply: impl Fn(i128, i128) -> Option<i128>) -> Option<Interval> {
        let (a, b) = (apply(self.low, right.low)?, apply(self.low, right.high)?);
        let (c, d) = (apply(self.high, right.low)?, apply(self.high, right.high)?);
        Some(Interval { low: a.min(b).min(c).min(d), high: a.max(b).max(c).max(d) })
    }

    /// Remainders have the sign of the dividend and are less than the divisor.
    fn remainder(self, right: Interval) -> Interval {
        if let (Some(a), Some(b)) = (self.single(), right.single()) {
            return Interval::exactly(a % b);
        }
        let least = match right.low > 0 {
            true => right.low,
            false => -right.high,
        };
        let greatest = right.low.abs().max(right.high.abs());
        if -least < self.low && self.high < least {
            return self;
        }
        let low = if self.low < 0 { self.low.max(1 - greatest) } else { 0 };
        let high = if self.high > 0 { self.high.min(greatest - 1) } else { 0 };
        Interval { low, high }
    }

    fn bitwise_and(self, right: Interval) -> Option<Interval> {
        if let (Some(a), Some(b)) = (self.single(), right.single()) {
            return Some(Interval::exactly(a & b));
        }
        let bounds = [self, right].into_iter().filter(|it| it.low >= 0).map(|it| it.high);
        Some(Interval { low: 0, high: bounds.min()? })
    }

    /// What is left of `self` where its numbers compare so with some number of `right`; `None` if nothing.
    pub(super) fn narrowed(self, comparison: Comparison, right: Interval) -> Option<Interval> {
        let (mut low, mut high) = (self.low, self.high);
        match comparison {
            Comparison::Less => high = high.min(right.high - 1),
            Comparison::LessOrEqual => high = high.min(right.high),
            Comparison::Greater => low = low.max(right.low + 1),
            Comparison::GreaterOrEqual => low = low.max(right.low),
            Comparison::Equal => return self.meet(right),
            Comparison::NotEqual => {
                let excluded = right.single();
                low += i128::from(excluded == Some(low));
                high -= i128::from(excluded == Some(high));
            }
        }
        (low <= high).then_some(Interval { low, high })
    }

    /// Whether a comparison holds for all pairs of numbers, or for none; `None` if for some.
    pub(super) fn decides(self, comparison: Comparison, right: Interval) -> Option<bool> {
        if self.narrowed(comparison, right).is_none() {
            return Some(false);
        }
        self.narrowed(comparison.negated(), right).is_none().then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All intervals with ends among small numbers and the ends of `Byte`.
    fn intervals(all: Interval) -> Vec<Interval> {
        let ends = [-128, -127, -9, -2, -1, 0, 1, 2, 3, 7, 8, 100, 126, 127, 128, 200, 254, 255];
        let ends: Vec<i128> = ends.into_iter().filter(|it| all.contains(*it)).collect();
        let pairs = ends.iter().flat_map(|low| ends.iter().map(move |high| (*low, *high)));
        pairs.filter(|(low, high)| low <= high).map(|(low, high)| Interval::between(low, high)).collect()
    }

    fn exact(kind: Known, sign: &str, a: i128, b: i128) -> Option<i128> {
        let all = Interval::of_type(kind)?;
        let result = match sign {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a.checked_div(b)?,
            "%" => a.checked_rem(b)?,
            "&" => a & b,
            "|" => a | b,
            "^" => a ^ b,
            "<<" if (0..8).contains(&b) => a << b,
            ">>" if (0..8).contains(&b) => a >> b,
            _ => return None,
        };
        Interval::exactly(result).wrapped(all).0.single()
    }

    #[test]
    fn operations_contain_every_exact_result() {
        for kind in [Known::Byte, Known::UByte] {
            let all = Interval::of_type(kind).expect("an integer");
            for sign in ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"] {
                for a in intervals(all) {
                    for b in intervals(all) {
                        let Some(result) = a.binary(sign, b, 8) else { continue };
                        let (result, _) = result.wrapped(all);
                        let step = |it: Interval| ((it.high - it.low) / 5).max(1) as usize;
                        for x in (a.low..=a.high).step_by(step(a)).chain([a.high]) {
                            for y in (b.low..=b.high).step_by(step(b)).chain([b.high]) {
                                let Some(value) = exact(kind, sign, x, y) else { continue };
                                assert!(result.contains(value), "{x} {sign} {y} of {a:?} and {b:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_keep_exactly_the_numbers_that_compare_so() {
        use Comparison::*;
        let small = |low, high| Interval::between(low, high);
        let all: Vec<Interval> = (-3..4).flat_map(|a| (a..4).map(move |b| small(a, b))).collect();
        for comparison in [Less, LessOrEqual, Greater, GreaterOrEqual, Equal, NotEqual] {
            for a in &all {
                for b in &all {
                    let holds = |x: i128, y: i128| comparison.holds_for_difference(x - y);
                    let kept = |x: i128| (b.low..=b.high).any(|y| holds(x, y));
                    let narrowed = a.narrowed(comparison, *b);
                    for x in a.low..=a.high {
                        let is_end = x == a.low || x == a.high;
                        let stays = narrowed.is_some_and(|it| it.contains(x));
                        assert!(stays || !kept(x), "{x} of {a:?} {comparison:?} {b:?}");
                        assert!(!stays || kept(x) || !is_end, "{x} of {a:?} {comparison:?} {b:?}");
                    }
                    let mut results =
                        (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| holds(x, y)));
                    let first = results.next().expect("not empty");
                    let expected = results.all(|it| it == first).then_some(first);
                    assert_eq!(a.decides(comparison, *b), expected, "{a:?} {comparison:?} {b:?}");
                    assert_eq!(b.decides(comparison.mirrored(), *a), expected);
                }
            }
        }
    }

    #[test]
    fn widening_ends_at_the_bounds_of_the_type() {
        let all = Interval::of_type(Known::Long).expect("an integer");
        let mut interval = Interval::exactly(5);
        for step in 0..6 {
            interval = interval.widen(interval.join(Interval::between(4 - step, 6 + step)), all);
        }
        assert_eq!(interval.widen(Interval::between(-5, 50), all), all);
        assert_eq!(Interval::exactly(2).widen(Interval::between(1, 2), all), Interval::between(1, 2));
    }

    #[test]
    fn wrapping_keeps_single_numbers() {
        let all = Interval::of_type(Known::Byte).expect("an integer");
        assert_eq!(Interval::exactly(128).wrapped(all), (Interval::exactly(-128), false));
        assert_eq!(Interval::between(120, 128).wrapped(all), (all, false));
        assert_eq!(Interval::exactly(-3).wrapped(all), (Interval::exactly(-3), true));
    }
}
