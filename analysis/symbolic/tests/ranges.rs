//! Intervals, residue classes and their product, against all members of small sets.

use apg_symbolic::{Affine, BinaryOp, Comparison, Congruence, Interval, ValueRange};
use proptest::prelude::*;

/// Values far enough from zero to tell apart what the operations on small sets yield.
const WINDOW: std::ops::RangeInclusive<i64> = -40..=40;

fn interval() -> impl Strategy<Value = Interval> {
    let bound = || prop::option::weighted(0.8, -12_i64..=12);
    (bound(), bound()).prop_filter_map("empty", |(low, high)| Interval { low, high }.intersect(Interval::ALL))
}

fn congruence() -> impl Strategy<Value = Congruence> {
    (0_u64..=6, -12_i64..=12).prop_map(|(modulus, remainder)| Congruence::new(modulus, remainder))
}

fn value_range() -> impl Strategy<Value = ValueRange> {
    (interval(), congruence()).prop_filter_map("empty", |(a, b)| ValueRange::new(a, b))
}

fn members(contains: impl Fn(i64) -> bool) -> Vec<i64> {
    WINDOW.filter(|it| contains(*it)).collect()
}

/// All values of an operation on members of two sets.
fn pairs<'v>(a: &'v [i64], b: &'v [i64], op: BinaryOp) -> impl Iterator<Item = i64> + 'v {
    a.iter().flat_map(move |a| b.iter().filter_map(move |b| op.apply(*a, *b)))
}

proptest! {
    #[test]
    fn interval_operations_contain_all_results(a in interval(), b in interval(), modulus in 1_i64..=9) {
        let (left, right) = (members(|it| a.contains(it)), members(|it| b.contains(it)));
        let results = [
            (BinaryOp::Add, Some(a + b)),
            (BinaryOp::Sub, Some(a - b)),
            (BinaryOp::Mul, Some(a * b)),
            (BinaryOp::FloorDiv, a.floor_divide(b)),
            (BinaryOp::Min, Some(a.min(b))),
            (BinaryOp::Max, Some(a.max(b))),
        ];
        for (op, result) in results {
            for value in pairs(&left, &right, op) {
                prop_assert!(result.is_some_and(|it| it.contains(value)), "{a} {} {b}: {value}", op.symbol());
            }
        }
        for value in &left {
            prop_assert!((-a).contains(-value));
            let remainder = BinaryOp::FloorMod.apply(*value, modulus).unwrap_or_default();
            prop_assert!(a.floor_modulo(modulus).is_some_and(|it| it.contains(remainder)));
        }
    }

    #[test]
    fn bounded_interval_operations_are_tight(a in -9_i64..=9, b in 0_i64..=5, c in -9_i64..=9, d in 0_i64..=5) {
        let (x, y) = (Interval::new(a, a + b), Interval::new(c, c + d));
        let (Some(x), Some(y)) = (x, y) else { return Err(TestCaseError::fail("bounds are ordered")) };
        let (left, right) = (members(|it| x.contains(it)), members(|it| y.contains(it)));
        let results = [
            (BinaryOp::Add, Some(x + y)),
            (BinaryOp::Sub, Some(x - y)),
            (BinaryOp::Mul, Some(x * y)),
            (BinaryOp::FloorDiv, x.floor_divide(y)),
            (BinaryOp::Min, Some(x.min(y))),
            (BinaryOp::Max, Some(x.max(y))),
        ];
        for (op, result) in results {
            let all: Vec<i64> = pairs(&left, &right, op).collect();
            let hull = all.iter().min().zip(all.iter().max()).and_then(|(low, high)| Interval::new(*low, *high));
            prop_assert_eq!(result, hull, "{} {} {}", x, op.symbol(), y);
        }
    }

    #[test]
    fn value_ranges_contain_the_results_of_all_operators(a in value_range(), b in value_range()) {
        use BinaryOp::*;
        let (left, right) = (members(|it| a.contains(it)), members(|it| b.contains(it)));
        for op in [Add, Sub, Mul, FloorDiv, FloorMod, TruncDiv, TruncRem, Min, Max, And, Or, Xor, Shl, Shr] {
            let result = ValueRange::binary(op, a, b);
            for value in pairs(&left, &right, op) {
                prop_assert!(result.contains(value), "{a} {} {b}: {value} is not in {result}", op.symbol());
            }
        }
    }

    #[test]
    fn scaling_is_the_product_with_a_constant(
        a in prop_oneof![
            interval(),
            (any::<i64>(), any::<i64>()).prop_map(|(a, b)| Interval { low: Some(a.min(b)), high: Some(a.max(b)) }),
        ],
        factor in prop_oneof![-9_i64..=9, any::<i64>()],
    ) {
        prop_assert_eq!(a.scale(factor), a * Interval::constant(factor));
    }

    #[test]
    fn widening_contains_both_and_ends(a in value_range(), b in value_range()) {
        let joined = a.join(b);
        let widened = a.widen(joined);
        for value in WINDOW {
            prop_assert!(widened.contains(value) || !joined.contains(value));
        }
        prop_assert_eq!(widened.widen(widened.join(joined)), widened);
        prop_assert_eq!(widened.is_non_negative(), joined.is_non_negative());
    }

    #[test]
    fn interval_lattice_is_that_of_sets(a in interval(), b in interval()) {
        for value in WINDOW {
            let (in_a, in_b) = (a.contains(value), b.contains(value));
            prop_assert_eq!(a.intersect(b).is_some_and(|it| it.contains(value)), in_a && in_b);
            prop_assert!(a.hull(b).contains(value) || !(in_a || in_b));
            prop_assert!(a.widen(b, &[-4, 0, 9]).contains(value) || !(in_a || in_b));
        }
        prop_assert_eq!(a.widen(a, &[]), a);
        if let Some(count) = a.count() {
            prop_assert_eq!(count, members(|it| a.contains(it)).len() as u64);
        }
    }

    #[test]
    fn congruence_operations_contain_all_results(a in congruence(), b in congruence()) {
        let (left, right) = (members(|it| a.contains(it)), members(|it| b.contains(it)));
        let results = [
            (BinaryOp::Add, a + b), (BinaryOp::Sub, a - b), (BinaryOp::Mul, a * b),
        ];
        for (op, result) in results {
            for value in pairs(&left, &right, op) {
                prop_assert!(result.contains(value), "({a}) {} ({b}) = {result}: {value}", op.symbol());
            }
        }
        for value in WINDOW {
            let (in_a, in_b) = (a.contains(value), b.contains(value));
            prop_assert!(a.join(b).contains(value) || !(in_a || in_b));
            prop_assert!(a.intersect(b).is_some_and(|it| it.contains(value)) || !(in_a && in_b));
        }
        for number in 1..=8_u64 {
            let divides = |value: &i64| value.unsigned_abs().is_multiple_of(number);
            prop_assert_eq!(a.is_multiple_of(number), left.iter().all(divides), "{} by {}", a, number);
        }
    }

    #[test]
    fn value_ranges_are_reduced(interval in interval(), class in congruence()) {
        let range = ValueRange::new(interval, class);
        for value in WINDOW {
            let expected = interval.contains(value) && class.contains(value);
            prop_assert_eq!(range.is_some_and(|it| it.contains(value)), expected, "{}", value);
        }
        if let Some(range) = range {
            for bound in [range.interval().low, range.interval().high].into_iter().flatten() {
                prop_assert!(range.contains(bound), "{bound} is no member of {range}");
            }
        }
    }

    #[test]
    fn value_range_operations_contain_all_results(a in value_range(), b in value_range()) {
        let (left, right) = (members(|it| a.contains(it)), members(|it| b.contains(it)));
        for (op, result) in [(BinaryOp::Add, a + b), (BinaryOp::Mul, a * b)] {
            for value in pairs(&left, &right, op) {
                prop_assert!(result.contains(value), "({a}) {} ({b}) = {result}: {value}", op.symbol());
            }
        }
        for value in WINDOW {
            let (in_a, in_b) = (a.contains(value), b.contains(value));
            prop_assert!(a.join(b).contains(value) || !(in_a || in_b));
            prop_assert!(a.intersect(b).is_some_and(|it| it.contains(value)) || !(in_a && in_b));
        }
    }

    #[test]
    fn range_of_an_affine_form_contains_its_values(
        constant in -9_i64..=9, factors in prop::array::uniform2(-5_i64..=5), ranges in prop::array::uniform2(value_range()),
    ) {
        let form = (0..2_usize).try_fold(Affine::from_constant(constant), |form, it| {
            form.add_scaled(factors[it], &Affine::symbol(it))
        });
        let form = form.ok_or_else(|| TestCaseError::fail("small coefficients do not overflow"))?;
        let range = ValueRange::of_affine(&form, |it| ranges[*it]);
        for x in members(|it| ranges[0].contains(it)) {
            for y in members(|it| ranges[1].contains(it)) {
                let value = form.evaluate(&|it| Some([x, y][*it]));
                prop_assert!(value.is_some_and(|it| range.contains(it)), "{form} in {range}: {value:?}");
            }
        }
    }
}

#[test]
fn comparisons_keep_exactly_the_numbers_that_compare_so() {
    use Comparison::*;
    let small = |low, high| Interval { low: Some(low), high: Some(high) };
    let all: Vec<Interval<i128>> = (-3..4).flat_map(|a| (a..4).map(move |b| small(a, b))).collect();
    let members = |it: &Interval<i128>| it.low.unwrap_or(-9)..=it.high.unwrap_or(9);
    for comparison in [Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual] {
        for a in &all {
            for b in &all {
                let kept = |x: i128| members(b).any(|y| comparison.holds(x, y));
                let narrowed = a.narrow(comparison, *b);
                for x in members(a) {
                    let is_end = a.low == Some(x) || a.high == Some(x);
                    let stays = narrowed.is_some_and(|it| it.contains(x));
                    assert!(stays || !kept(x), "{x} of {a} {comparison:?} {b}");
                    assert!(!stays || kept(x) || !is_end, "{x} of {a} {comparison:?} {b}");
                }
                let mut results = members(a).flat_map(|x| members(b).map(move |y| comparison.holds(x, y)));
                let first = results.next().expect("not empty");
                let expected = results.all(|it| it == first).then_some(first);
                assert_eq!(a.decide(comparison, *b), expected, "{a} {comparison:?} {b}");
                assert_eq!(b.decide(comparison.mirrored(), *a), expected);
            }
        }
    }
}

#[test]
fn comparisons_with_unbounded_intervals_keep_what_may_compare_so() {
    let natural = Interval { low: Some(0_i64), high: None };
    assert_eq!(natural.narrow(Comparison::Less, Interval::ALL), Some(natural));
    assert_eq!(natural.narrow(Comparison::Less, Interval::constant(0)), None);
    assert_eq!(natural.decide(Comparison::GreaterEqual, Interval::constant(0)), Some(true));
    assert_eq!(natural.decide(Comparison::Greater, Interval::constant(0)), None);
    let top = Interval::constant(i64::MAX);
    assert_eq!(top.narrow(Comparison::Greater, top), Some(top), "a bound beyond the type is dropped");
}

#[test]
fn bounds_of_128_bits_hold_products_of_all_64_bit_types_or_are_dropped() {
    let unsigned = Interval { low: Some(0_i128), high: Some(u64::MAX.into()) };
    assert_eq!((unsigned * unsigned).high, i128::from(u64::MAX).checked_mul(u64::MAX.into()));
    let signed = Interval { low: Some(i128::from(i64::MIN)), high: Some(i64::MAX.into()) };
    assert_eq!((signed * signed).high, Some(1 << 126));
    assert_eq!((signed * signed * signed).high, None);
    assert_eq!(unsigned.count(), None);
}

#[test]
fn bounds_near_the_limits_are_dropped_rather_than_wrapped() {
    let top = Interval::constant(i64::MAX);
    assert_eq!((top + Interval::constant(1)).high, None);
    assert_eq!((-Interval::constant(i64::MIN)).high, None);
    assert_eq!((top * Interval::constant(2)).high, None);
    assert_eq!(
        Interval::constant(i64::MIN).floor_divide(Interval::constant(-1)).map(|it| it.high),
        Some(None)
    );
    assert_eq!(Interval::<i64>::ALL.count(), None);
    assert_eq!(Interval { low: Some(i64::MIN), high: Some(i64::MAX) }.count(), None);
    let large = Congruence::new(1 << 40, 3);
    assert!((large * large).contains(9));
    assert!((Congruence::constant(i64::MAX) + Congruence::constant(1)).contains(0));
}
