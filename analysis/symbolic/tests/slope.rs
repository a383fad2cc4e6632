//! Finite differences against values of functions on a small domain.

use apg_symbolic::LinearForm;
use proptest::prelude::*;

/// Number of variables.
const VARIABLES: usize = 3;

/// A function of the variables.
#[derive(Clone, Debug)]
enum Function {
    Constant(i64),
    Variable(usize),
    Sum(Box<Function>, Box<Function>),
    Difference(Box<Function>, Box<Function>),
    Product(Box<Function>, Box<Function>),
    Minimum(Box<Function>, Box<Function>),
}

fn function() -> impl Strategy<Value = Function> {
    let leaf =
        prop_oneof![(-4_i64..=4).prop_map(Function::Constant), (0..VARIABLES).prop_map(Function::Variable),];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = (inner.clone(), inner).prop_map(|(a, b)| (Box::new(a), Box::new(b)));
        (pair, 0..4).prop_map(|((a, b), operation)| match operation {
            0 => Function::Sum(a, b),
            1 => Function::Difference(a, b),
            2 => Function::Product(a, b),
            _ => Function::Minimum(a, b),
        })
    })
}

fn value(function: &Function, at: [i64; VARIABLES]) -> i64 {
    let of = |it: &Function| value(it, at);
    match function {
        Function::Constant(value) => *value,
        Function::Variable(number) => at[*number],
        Function::Sum(a, b) => of(a) + of(b),
        Function::Difference(a, b) => of(a) - of(b),
        Function::Product(a, b) => of(a).wrapping_mul(of(b)),
        Function::Minimum(a, b) => of(a).min(of(b)),
    }
}

fn form(function: &Function) -> LinearForm<usize> {
    match function {
        Function::Constant(value) => LinearForm::invariant(Some(*value)),
        Function::Variable(number) => LinearForm::variable(*number),
        Function::Sum(a, b) => form(a).plus(&form(b)),
        Function::Difference(a, b) => form(a).minus(&form(b)),
        Function::Product(a, b) => form(a).times(&form(b)),
        Function::Minimum(a, b) => form(a).combine(&form(b)),
    }
}

proptest! {
    #[test]
    fn known_slopes_are_the_differences_of_values(
        function in function(), at in prop::array::uniform3(-3_i64..=3),
    ) {
        let found = form(&function);
        for variable in 0..VARIABLES {
            let mut next = at;
            next[variable] += 1;
            if let Some(slope) = found.slope(&variable) {
                prop_assert_eq!(value(&function, next) - value(&function, at), slope);
            }
        }
        if let Some(constant) = found.as_constant().and_then(|it| it.known()) {
            prop_assert_eq!(value(&function, at), constant);
        }
    }
}

#[test]
fn sums_and_multiples_of_variables_have_known_slopes() {
    let (x, y) = (LinearForm::variable(0), LinearForm::variable(1));
    let four = LinearForm::invariant(Some(4));
    let found = x.times(&four).minus(&y).plus(&LinearForm::invariant(None));
    assert_eq!((found.slope(&0), found.slope(&1), found.slope(&2)), (Some(4), Some(-1), Some(0)));
    let width = LinearForm::invariant(None);
    assert_eq!(y.times(&width).plus(&x).slope(&0), Some(1));
    assert_eq!(y.times(&width).plus(&x).slope(&1), None);
    assert_eq!(x.times(&x).slope(&1), Some(0));
    assert!(width.times(&width).is_invariant());
}
