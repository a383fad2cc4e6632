//! The arithmetic of X10's integer types on [intervals](apg_symbolic::interval): X10 specification 2.6,
//! "Numeric types".
//!
//! Bounds of 128 bits are wide enough for all types, so that an operation first computes its mathematical
//! result, and [`IntegerInterval::wrapped`] then applies the wrapping of the type.

use crate::ty::known::Known;

/// Values of an integer type, or mathematical results of an operation.
pub(super) type Interval = apg_symbolic::Interval<i128>;

/// A bound of 128 bits beyond those of all types, for intervals without one.
const MAX_MAGNITUDE: i128 = 1 << 100;
/// Bounds that widening stops at, before those of the type.
const WIDENING_THRESHOLDS: [i128; 3] = [-1, 0, 1];

/// What the values of integer types need besides the operations of intervals.
pub(super) trait IntegerInterval: Sized {
    /// The numbers between two, which are in order.
    fn between(low: i128, high: i128) -> Self;

    /// All values of an integer type.
    fn of_type(kind: Known) -> Option<Self>;

    /// The least number.
    fn least(self) -> i128;

    /// The greatest number.
    fn greatest(self) -> i128;

    /// Widening within a type: a bound that `next` exceeds moves to the next of -1, 0 and 1, and then to that
    /// of `all`.
    fn widen_within(self, next: Self, all: Self) -> Self;

    /// The values of a type that the mathematical results in this interval wrap to, and whether none does.
    fn wrapped(self, all: Self) -> (Self, bool);

    /// The mathematical results of a binary operator; `None` if unknown. Results are not wrapped.
    fn binary(self, sign: &str, right: Self, bits: u32) -> Option<Self>;
}

impl IntegerInterval for Interval {
    fn between(low: i128, high: i128) -> Interval {
        debug_assert!(low <= high);
        Interval { low: Some(low), high: Some(high) }
    }

    fn of_type(kind: Known) -> Option<Interval> {
        let bits = 8 * kind.size().filter(|_| kind.is_integer())?;
        Some(match kind.is_unsigned() {
            true => Interval::between(0, (1 << bits) - 1),
            false => Interval::between(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        })
    }

    fn least(self) -> i128 {
        self.low.unwrap_or(-MAX_MAGNITUDE)
    }

    fn greatest(self) -> i128 {
        self.high.unwrap_or(MAX_MAGNITUDE)
    }

    fn widen_within(self, next: Interval, all: Interval) -> Interval {
        let widened = self.widen(next, &WIDENING_THRESHOLDS);
        Interval { low: widened.low.or(all.low), high: widened.high.or(all.high) }
    }

    fn wrapped(self, all: Interval) -> (Interval, bool) {
        if all.contains_all(self) {
            return (self, true);
        }
        let count = all.greatest() - all.least() + 1;
        match self.as_constant().and_then(|it| it.checked_sub(all.least())) {
            Some(offset) => (Interval::constant(offset.rem_euclid(count) + all.least()), false),
            None => (all, false),
        }
    }

    fn binary(self, sign: &str, right: Interval, bits: u32) -> Option<Interval> {
        match sign {
            "+" => Some(self + right),
            "-" => Some(self - right),
            "*" => Some(self * right),
            "/" if !right.contains(0) => self.truncated_divide(right),
            "%" if !right.contains(0) => self.truncated_remainder(right),
            "&" => Some(self.bit_and(right)),
            "|" => Some(self.bit_or(right)),
            "^" => Some(self.bit_xor(right)),
            "<<" | ">>" => {
                let count = right.as_constant().filter(|it| (0..i128::from(bits)).contains(it))?;
                let power = Interval::constant(1 << count);
                match sign {
                    "<<" => Some(self * power),
                    _ => self.floor_divide(power),
                }
            }
            _ => None,
        }
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
        Interval::constant(result).wrapped(all).0.as_constant()
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
                        let step = |it: Interval| ((it.greatest() - it.least()) / 5).max(1) as usize;
                        for x in (a.least()..=a.greatest()).step_by(step(a)).chain([a.greatest()]) {
                            for y in (b.least()..=b.greatest()).step_by(step(b)).chain([b.greatest()]) {
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
    fn widening_ends_at_the_bounds_of_the_type() {
        let all = Interval::of_type(Known::Long).expect("an integer");
        let mut interval = Interval::constant(5);
        for step in 0..6 {
            interval = interval.widen_within(interval.hull(Interval::between(4 - step, 6 + step)), all);
        }
        assert_eq!(interval.widen_within(Interval::between(-5, 50), all), all);
        assert_eq!(Interval::constant(2).widen_within(Interval::between(1, 2), all), Interval::between(1, 2));
    }

    #[test]
    fn wrapping_keeps_single_numbers() {
        let all = Interval::of_type(Known::Byte).expect("an integer");
        assert_eq!(Interval::constant(128).wrapped(all), (Interval::constant(-128), false));
        assert_eq!(Interval::between(120, 128).wrapped(all), (all, false));
        assert_eq!(Interval::constant(-3).wrapped(all), (Interval::constant(-3), true));
    }
}
