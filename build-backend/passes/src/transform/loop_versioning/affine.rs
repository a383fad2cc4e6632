//! Affine forms of indices: sums of induction variables times invariant factors, and an invariant offset.
//!
//! The program computes an index modulo 2^64, and so do the ends of its range here. They are right if the
//! true range is shorter than 2^64; the bounds guard then tests that they are in order. For one variable with
//! factor 1 this always holds. For several variables or other factors, guards test that variables and factors
//! are small.

use apg_mir::*;
use apg_symbolic::Affine;
use apg_symbolic::affine::Ring;

use super::expressions::{compare, constant, int, long, negation, product, size, sum};
use super::state::{Form, Known, Scan};

/// Limit of variables and factors where several terms or factors other than 1 occur.
const MAX_FACTOR: i64 = 1 << 30;
/// Number of terms whose sum cannot overflow within [`MAX_FACTOR`].
const MAX_TERMS: usize = 4;
/// Size of the largest offset and factors together, in expressions.
const MAX_COEFFICIENT_EXPRESSIONS: usize = 40;
/// Depth of the deepest expression that is analysed.
const MAX_DEPTH: u32 = 12;

/// Invariant `I64`s, modulo 2^64.
struct Invariants;

impl Ring for Invariants {
    type Element = Expr;

    fn integer(&mut self, value: i64) -> Expr {
        int(value)
    }

    fn is_zero(&self, value: &Expr) -> bool {
        constant(value) == Some(0)
    }

    fn add(&mut self, a: &Expr, b: &Expr) -> Option<Expr> {
        Some(sum(a.clone(), b.clone()))
    }

    fn mul(&mut self, a: &Expr, b: &Expr) -> Option<Expr> {
        Some(match (negated(a), negated(b)) {
            (Some(a), Some(b)) => product(a, b),
            (Some(a), None) => negation(product(a, b.clone())),
            (None, Some(b)) => negation(product(a.clone(), b)),
            (None, None) => product(a.clone(), b.clone()),
        })
    }
}

/// `x`, for an expression that is written as `-x`.
fn negated(value: &Expr) -> Option<Expr> {
    match &value.kind {
        ExprKind::Int(number @ ..0) => Some(int(number.wrapping_neg())),
        ExprKind::Operation { operation: Operation::Neg, args } => args.first().cloned(),
        _ => None,
    }
}

impl Form {
    /// An induction variable.
    pub(super) fn variable(axis: usize) -> Form {
        Form { affine: Affine::symbol_in(axis, &mut Invariants), guards: Vec::new(), is_exact: true }
    }

    fn invariant(value: Expr, guards: Vec<Expr>) -> Form {
        Form { affine: Affine::from_constant(value), guards, is_exact: true }
    }

    /// Whether the value changes with an induction variable.
    pub(super) fn varies(&self) -> bool {
        self.affine.as_constant().is_none()
    }

    fn limited(self) -> Option<Form> {
        let coefficients = self.affine.terms().map(|it| it.1);
        let size: usize = coefficients.chain([&self.affine.constant]).map(size).sum();
        (self.affine.terms().len() <= MAX_TERMS && size <= MAX_COEFFICIENT_EXPRESSIONS).then_some(self)
    }

    /// `self + factor * other`
    fn add_scaled(self, factor: i64, other: Form) -> Option<Form> {
        let affine = self.affine.add_scaled_in(&int(factor), &other.affine, &mut Invariants)?;
        Form { affine, guards: [self.guards, other.guards].concat(), is_exact: false }.limited()
    }

    /// A product. One factor must be invariant.
    fn multiply(self, other: Form) -> Option<Form> {
        let (sum, factor) = if other.varies() { (other, self) } else { (self, other) };
        let affine = sum.affine.scale_in(factor.affine.as_constant()?, &mut Invariants)?;
        Form { affine, guards: [sum.guards, factor.guards].concat(), is_exact: false }.limited()
    }

    /// Smallest and largest value over all iterations. Conditions under which they are right are added to
    /// `tests`.
    pub(super) fn interval(self, scan: &Scan<'_>, tests: &mut Vec<Expr>) -> (Expr, Expr) {
        tests.extend(self.guards);
        let is_unit = |it: &Expr| matches!(constant(it), Some(1 | -1));
        let is_single = self.affine.terms().len() < 2 && self.affine.terms().all(|it| is_unit(it.1));
        let mut ends = (self.affine.constant.clone(), self.affine.constant.clone());
        for (axis, coefficient) in self.affine.terms() {
            let axis = &scan.axes[*axis];
            tests.extend(axis.tests.iter().cloned());
            let (mut low, mut high) = (axis.low.clone(), axis.high.clone());
            if !is_single {
                tests.extend(small(&low, &high));
            }
            let factor = negated(coefficient);
            let is_negative = factor.is_some();
            let factor = factor.unwrap_or_else(|| coefficient.clone());
            if constant(&factor) != Some(1) {
                tests.push(compare(Operation::Ge, &factor, &int(0)));
                tests.push(compare(Operation::Le, &factor, &int(MAX_FACTOR)));
                (low, high) = (product(low, factor.clone()), product(high, factor));
            }
            if is_negative {
                (low, high) = (negation(high), negation(low));
            }
            ends = (sum(low, ends.0), sum(high, ends.1));
        }
        ends
    }

    /// Smallest and largest value as the range of another variable, where they must not wrap.
    pub(super) fn bound(mut self, scan: &Scan<'_>, tests: &mut Vec<Expr>) -> Option<(Expr, Expr)> {
        let terms: Vec<(&usize, &Expr)> = self.affine.terms().collect();
        match terms.as_slice() {
            [] => {}
            [(axis, coefficient)] if matches!(constant(coefficient), Some(1 | -1)) => {
                let axis = &scan.axes[**axis];
                // First tests that the objects exist that offset and ends are read from: the loop may never
                // be reached.
                tests.append(&mut self.guards);
                tests.extend(axis.tests.iter().cloned());
                tests.extend(small(&axis.low, &axis.high));
                tests.extend(small(&self.affine.constant, &self.affine.constant));
            }
            _ => return None,
        }
        Some(self.interval(scan, tests))
    }

    /// The form of an `I32` that is known modulo 2^32. Guards test that the value fits.
    fn fit(mut self, scan: &Scan<'_>) -> Form {
        if self.is_exact {
            return self;
        }
        let mut tests = Vec::new();
        let (least, greatest) = self.clone().interval(scan, &mut tests);
        // The 64-bit ends may have wrapped as well. If they are within 32 bits and in order, they have not.
        tests.push(compare(Operation::Le, &least, &greatest));
        tests.push(compare(Operation::Ge, &least, &int(i32::MIN.into())));
        tests.push(compare(Operation::Le, &greatest, &int(i32::MAX.into())));
        self.guards = tests;
        self.is_exact = true;
        self
    }
}

/// The conditions that both ends are small numbers.
fn small(low: &Expr, high: &Expr) -> [Expr; 2] {
    [compare(Operation::Ge, low, &int(-MAX_FACTOR)), compare(Operation::Le, high, &int(MAX_FACTOR))]
}

impl Scan<'_> {
    /// The affine form of an `I64`, or of an `I32` that has not wrapped.
    pub(super) fn exact(&self, value: &Expr) -> Option<Form> {
        self.exact_within(value, MAX_DEPTH)
    }

    fn exact_within(&self, value: &Expr, depth: u32) -> Option<Form> {
        match value.ty {
            Ty::I64 => self.affine_within(value, depth),
            Ty::I32 => Some(self.affine_within(value, depth)?.fit(self)),
            _ => None,
        }
    }

    /// The affine form of an `I64` modulo 2^64 or of an `I32` modulo 2^32.
    pub(super) fn affine(&self, value: &Expr) -> Option<Form> {
        self.affine_within(value, MAX_DEPTH)
    }

    fn affine_within(&self, value: &Expr, depth: u32) -> Option<Form> {
        let depth = depth.checked_sub(1)?;
        if !matches!(value.ty, Ty::I64 | Ty::I32) {
            return None;
        }
        if let Some(invariant) = self.invariant(value) {
            return Form::invariant(long(invariant.value), invariant.guards).limited();
        }
        match &value.kind {
            ExprKind::Local(local) => match self.state.get(local) {
                Some(Known::Number(form)) => Some(form.clone()),
                _ => None,
            },
            ExprKind::Operation { operation: Operation::Convert, args } => match (args[0].ty, value.ty) {
                (Ty::I32, Ty::I64) => self.exact_within(&args[0], depth),
                (Ty::I64, Ty::I32) => Some(Form { is_exact: false, ..self.affine_within(&args[0], depth)? }),
                _ => None,
            },
            ExprKind::Operation { operation, args } if args.iter().all(|it| it.ty == value.ty) => {
                let of = |it: &Expr| self.affine_within(it, depth);
                match (operation, args.as_slice()) {
                    (Operation::Neg, [a]) => Form::invariant(int(0), Vec::new()).add_scaled(-1, of(a)?),
                    (Operation::Add, [a, b]) => of(a)?.add_scaled(1, of(b)?),
                    (Operation::Sub, [a, b]) => of(a)?.add_scaled(-1, of(b)?),
                    (Operation::Mul, [a, b]) => of(a)?.multiply(of(b)?),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
