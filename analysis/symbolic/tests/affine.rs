//! Affine forms against evaluation.

use std::cmp::Ordering;

use apg_symbolic::Affine;
use proptest::prelude::*;

type Form = Affine<usize>;

fn form() -> impl Strategy<Value = Form> {
    (-9_i64..=9, prop::array::uniform3(-9_i64..=9)).prop_map(|(constant, factors)| {
        factors.iter().enumerate().fold(Form::from_constant(constant), |form, (symbol, factor)| {
            form.add_scaled(*factor, &Form::symbol(symbol)).unwrap_or_default()
        })
    })
}

fn value(form: &Form, at: [i64; 3]) -> i64 {
    form.evaluate(&|symbol| at.get(*symbol).copied()).unwrap_or(i64::MIN)
}

proptest! {
    #[test]
    fn arithmetic_commutes_with_evaluation(
        a in form(), b in form(), factor in -9_i64..=9, at in prop::array::uniform3(-50_i64..=50),
    ) {
        let (x, y) = (value(&a, at), value(&b, at));
        prop_assert_eq!(a.checked_add(&b).map(|it| value(&it, at)), Some(x + y));
        prop_assert_eq!(a.checked_sub(&b).map(|it| value(&it, at)), Some(x - y));
        prop_assert_eq!(a.checked_scale(factor).map(|it| value(&it, at)), Some(factor * x));
        if let Some(product) = a.checked_mul(&b) {
            prop_assert_eq!(value(&product, at), x * y);
        }
        for (_, coefficient) in a.checked_sub(&b).unwrap_or_default().terms() {
            prop_assert_ne!(*coefficient, 0);
        }
    }

    #[test]
    fn substitution_commutes_with_evaluation(
        a in form(), b in form(), symbol in 0_usize..3, at in prop::array::uniform3(-50_i64..=50),
    ) {
        let mut replaced = at;
        replaced[symbol] = value(&b, at);
        let substituted = a.substitute(&symbol, &b);
        prop_assert_eq!(substituted.map(|it| value(&it, at)), Some(value(&a, replaced)));
    }

    #[test]
    fn ordering_holds_for_all_values(a in form(), b in form(), at in prop::array::uniform3(-50_i64..=50)) {
        if let Some(order) = a.partial_cmp_everywhere(&b) {
            prop_assert_eq!(value(&a, at).cmp(&value(&b, at)), order);
        }
    }

    #[test]
    fn content_divides_all_differences(a in form(), at in prop::array::uniform3(-50_i64..=50)) {
        let gap = (value(&a, at) - a.constant).unsigned_abs();
        let remainder = gap.checked_rem(a.content()).unwrap_or(gap);
        prop_assert_eq!(remainder, 0);
    }
}

#[test]
fn forms_that_differ_by_a_constant_are_ordered() {
    let x = Form::symbol(0);
    let next = x.checked_add(&Form::from_constant(1)).unwrap_or_default();
    assert_eq!(x.partial_cmp_everywhere(&next), Some(Ordering::Less));
    assert_eq!(x.partial_cmp_everywhere(&Form::symbol(1)), None);
}

#[test]
fn overflow_yields_no_form() {
    let large = Form::symbol(0).checked_scale(i64::MAX).unwrap_or_default();
    assert_eq!(large.checked_add(&Form::symbol(0)), None);
    assert_eq!(Form::from_constant(i64::MIN).checked_scale(-1), None);
    assert_eq!(large.evaluate(&|_| Some(2)), None);
    assert_eq!(Form::symbol(0).evaluate(&|_| None), None);
}
