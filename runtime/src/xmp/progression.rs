//! Arithmetic progressions of indices and their intersection by the Chinese remainder theorem, from which
//! the communication sets of block-cyclic distributions are made (Gupta, Kaushik, Huang and Sadayappan,
//! "Compiling Array Expressions for Efficient Execution on Distributed-Memory Machines", JPDC 1996;
//! Chatterjee and others, "Generating Local Addresses and Communication Sets for Data-Parallel Programs",
//! PPoPP 1993).

/// The indices `first`, `first + step`, ...: `count` of them, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progression {
    /// The first index.
    pub first: i64,
    /// Distance of two indices, at least 1.
    pub step: i64,
    /// Number of indices; none of length 0 exists.
    pub count: i64,
}

impl Progression {
    /// Indices from `first` to `last`; `None` if there are none.
    pub fn interval(first: i64, last: i64) -> Option<Progression> {
        (first <= last).then_some(Progression { first, step: 1, count: last - first + 1 })
    }

    /// Indices up to `last`, `step` apart; `None` if there are none.
    pub fn up_to(first: i64, last: i64, step: i64) -> Option<Progression> {
        (first <= last).then_some(Progression { first, step, count: (last - first) / step + 1 })
    }

    /// The last index.
    pub fn last(&self) -> i64 {
        self.first + (self.count - 1) * self.step
    }

    /// All indices plus `distance`.
    #[must_use]
    pub fn shifted(self, distance: i64) -> Progression {
        Progression { first: self.first + distance, ..self }
    }

    /// All indices.
    pub fn indices(self) -> impl Iterator<Item = i64> {
        (0..self.count).map(move |at| self.first + at * self.step)
    }

    /// The indices that are in both.
    pub fn intersect(self, other: Progression) -> Option<Progression> {
        let low = self.first.max(other.first);
        let high = self.last().min(other.last());
        if low > high {
            return None;
        }
        let (divisor, inverse) = extended_gcd(self.step, other.step);
        let distance = other.first - self.first;
        if distance % divisor != 0 {
            return None;
        }
        // self.first + k * self.step = other.first modulo other.step
        let modulus = other.step / divisor;
        let factor = i128::from(distance / divisor) * i128::from(inverse);
        let factor = factor.rem_euclid(i128::from(modulus));
        let step = i128::from(self.step) * i128::from(modulus);
        let common = i128::from(self.first) + factor * i128::from(self.step);
        let first = common + (i128::from(low) - common).max(0).div_ceil_of(step) * step;
        if first > i128::from(high) {
            return None;
        }
        let first = i64::try_from(first).ok()?;
        // A step beyond all indices leaves one of them.
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        Some(Progression { first, step, count: (high - first) / step + 1 })
    }
}

/// Rounding up of what is not negative.
trait DivCeil {
    fn div_ceil_of(self, by: Self) -> Self;
}

impl DivCeil for i128 {
    fn div_ceil_of(self, by: i128) -> i128 {
        (self + by - 1) / by
    }
}

/// The greatest common divisor of two positive numbers, and a factor of the first one whose product is that
/// divisor modulo the second one.
fn extended_gcd(a: i64, b: i64) -> (i64, i64) {
    let (mut rest, mut next) = ((a, 1), (b, 0));
    while next.0 != 0 {
        let quotient = rest.0 / next.0;
        (rest, next) = (next, (rest.0 - quotient * next.0, rest.1 - quotient * next.1));
    }
    rest
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn progression() -> impl Strategy<Value = Progression> {
        (-50_i64..50, 1_i64..15, 1_i64..30).prop_map(|(first, step, count)| Progression {
            first,
            step,
            count,
        })
    }

    proptest! {
        #[test]
        fn intersection_is_that_of_the_sets(a in progression(), b in progression()) {
            let set = |it: Progression| it.indices().collect::<BTreeSet<_>>();
            let expected: Vec<i64> = set(a).intersection(&set(b)).copied().collect();
            let found: Vec<i64> = a.intersect(b).into_iter().flat_map(Progression::indices).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn steps_whose_multiple_does_not_fit_leave_one_index() {
        let far = |step| Progression { first: 0, step, count: 2 };
        let both = far(i64::MAX / 2).intersect(far(i64::MAX / 2 - 1)).expect("0 is in both");
        assert_eq!((both.first, both.count), (0, 1));
    }
}
