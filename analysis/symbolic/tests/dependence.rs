//! Dependence tests against enumeration.

use std::collections::BTreeMap;

use apg_symbolic::dependence::{Answer, System, test_accesses};
use apg_symbolic::{Affine, Interval};
use proptest::prelude::*;

type Form = Affine<usize>;

fn form(factors: &[i64], constant: i64) -> Form {
    factors.iter().enumerate().fold(Form::from_constant(constant), |form, (symbol, factor)| {
        form.add_scaled(*factor, &Form::symbol(symbol)).unwrap_or_default()
    })
}

fn value(form: &Form, at: &[i64]) -> i64 {
    form.evaluate(&|symbol| at.get(*symbol).copied()).unwrap_or(i64::MIN)
}

/// All points of a box with `dimensions` axes from 0 to `last`.
fn points(dimensions: usize, last: i64) -> Vec<Vec<i64>> {
    (0..dimensions).fold(vec![Vec::new()], |all, _| {
        all.iter().flat_map(|it| (0..=last).map(move |next| [it.as_slice(), &[next]].concat())).collect()
    })
}

proptest! {
    #[test]
    fn solution_exists_where_enumeration_finds_one(
        rows in prop::collection::vec((prop::array::uniform3(-6_i64..=6), -12_i64..=12, any::<bool>()), 1..4),
        last in 0_i64..=5,
    ) {
        let mut system = System::default();
        for symbol in 0..3_usize {
            system.bound(symbol, Interval { low: Some(0), high: Some(last) });
        }
        let zero = Form::default();
        for (factors, constant, is_equation) in &rows {
            match is_equation {
                true => system.require_equal(&form(factors, *constant), &zero),
                false => system.require_at_most(&zero, &form(factors, *constant)),
            }
        }
        let holds = |at: &[i64]| rows.iter().all(|(factors, constant, is_equation)| {
            let value = value(&form(factors, *constant), at);
            if *is_equation { value == 0 } else { value >= 0 }
        });
        let exists = points(3, last).iter().any(|it| holds(it));
        match system.solve() {
            Answer::Yes(point) => {
                let at: Vec<i64> = point.values().copied().collect();
                prop_assert!(holds(&at), "{at:?} is no solution");
            }
            Answer::No => prop_assert!(!exists),
            Answer::Unknown => prop_assert!(false, "a box of 216 points is within the budget"),
        }
    }

    #[test]
    fn dependence_exists_where_enumeration_finds_one(
        a in prop::array::uniform2(-6_i64..=6), b in prop::array::uniform2(-6_i64..=6), gap in -12_i64..=12,
        last in 0_i64..=6,
    ) {
        let domain: BTreeMap<usize, Interval> =
            (0..2).map(|it| (it, Interval { low: Some(0), high: Some(last) })).collect();
        let (first, second) = (form(&a, 0), form(&b, gap));
        let all = points(2, last);
        let exists = all.iter().any(|x| all.iter().any(|y| x != y && value(&first, x) == value(&second, y)));
        match test_accesses(std::slice::from_ref(&first), std::slice::from_ref(&second), &domain) {
            Answer::Yes(found) => {
                let (x, y): (Vec<i64>, Vec<i64>) =
                    (found.first.into_values().collect(), found.second.into_values().collect());
                prop_assert_ne!(&x, &y);
                prop_assert_eq!(value(&first, &x), value(&second, &y));
                prop_assert!(all.contains(&x) && all.contains(&y));
            }
            Answer::No => prop_assert!(!exists),
            Answer::Unknown => prop_assert!(false, "the domain is within the budget"),
        }
    }
}

#[test]
fn divisors_refute_unbounded_systems() {
    // 2 * x == 2 * y + 1
    let mut system = System::default();
    system.require_equal(&form(&[2, 0], 0), &form(&[0, 2], 1));
    assert_eq!(system.solve(), Answer::No);
}

#[test]
fn bounds_refute_large_domains() {
    let mut system = System::default();
    system.bound(0, Interval { low: Some(0), high: Some(1 << 40) });
    system.bound(1, Interval { low: Some(1 << 41), high: Some(1 << 42) });
    system.require_equal(&form(&[1, 0], 0), &form(&[0, 1], 0));
    assert_eq!(system.solve(), Answer::No);
}

#[test]
fn unbounded_symbols_have_a_witness_or_are_unknown() {
    let mut system = System::default();
    system.require_equal(&form(&[3, 0], 0), &form(&[0, 5], 1));
    let Answer::Yes(point) = system.solve() else { panic!("3 * x == 5 * y + 1 has solutions") };
    assert_eq!(3 * point[&0], 5 * point[&1] + 1);
    // Solutions lie beyond every window that is searched.
    let mut system = System::default();
    system.require_equal(&form(&[1], 0), &form(&[], i64::MAX));
    system.require_equal(&form(&[0, 1], 0), &form(&[1], 0));
    assert_ne!(system.solve(), Answer::No);
}

#[test]
fn overflow_is_unknown() {
    let mut system = System::default();
    let large = Form::from_constant(i64::MIN);
    system.require_equal(&Form::from_constant(i64::MAX), &large);
    assert_eq!(system.solve(), Answer::Unknown);
}

#[test]
fn neighbours_depend_and_rows_do_not() {
    // a[i] and a[i + 1] over 0..=9; then 16 * i + j with j over 0..=15.
    let line = BTreeMap::from([(0, Interval { low: Some(0), high: Some(9) })]);
    let Answer::Yes(found) = test_accesses(&[form(&[1], 0)], &[form(&[1], 1)], &line) else {
        panic!("a[i] and a[i + 1] touch the same element");
    };
    assert_eq!(found.first[&0], found.second[&0] + 1);
    let tile = BTreeMap::from([
        (0, Interval { low: Some(0), high: Some(63) }),
        (1, Interval { low: Some(0), high: Some(15) }),
    ]);
    let index = [form(&[16, 1], 0)];
    assert_eq!(test_accesses(&index, &index, &tile), Answer::No);
    // A common unknown cancels out.
    let shifted = [form(&[16, 1, 7], 3)];
    assert_eq!(test_accesses(&shifted, &shifted, &tile), Answer::No);
}
