//! Finite differences: by how much an integer function changes when one of its variables grows by one (chains
//! of recurrences of first order: Bachmann, Wang and Zima, ISSAC 1994).
//!
//! A [`LinearForm`] is an affine form in which the constant and coefficients may be unknown. A variable that
//! it does not mention has no influence on the value; a known coefficient is the difference wherever the
//! other variables are; an unknown coefficient says nothing.

use crate::affine::{Affine, Ring};

/// A number that is known, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slope {
    /// This number.
    Known(i64),
    /// Any number, which need not be the same everywhere.
    Unknown,
}

impl Slope {
    /// The number, if it is known.
    pub fn known(self) -> Option<i64> {
        match self {
            Slope::Known(value) => Some(value),
            Slope::Unknown => None,
        }
    }
}

impl From<Option<i64>> for Slope {
    fn from(value: Option<i64>) -> Slope {
        value.map_or(Slope::Unknown, Slope::Known)
    }
}

/// Arithmetic of known and unknown numbers. Overflow makes a number unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slopes;

impl Ring for Slopes {
    type Element = Slope;

    fn integer(&mut self, value: i64) -> Slope {
        Slope::Known(value)
    }

    fn is_zero(&self, value: &Slope) -> bool {
        *value == Slope::Known(0)
    }

    fn add(&mut self, a: &Slope, b: &Slope) -> Option<Slope> {
        Some(a.known().zip(b.known()).and_then(|(a, b)| a.checked_add(b)).into())
    }

    fn mul(&mut self, a: &Slope, b: &Slope) -> Option<Slope> {
        Some(match (a, b) {
            (Slope::Known(0), _) | (_, Slope::Known(0)) => Slope::Known(0),
            _ => a.known().zip(b.known()).and_then(|(a, b)| a.checked_mul(b)).into(),
        })
    }
}

/// An affine form with known and unknown coefficients.
pub type LinearForm<S> = Affine<S, Slope>;

impl<S: Ord + Clone> Affine<S, Slope> {
    /// A value that depends on no variable.
    pub fn invariant(value: Option<i64>) -> LinearForm<S> {
        Affine::from_constant(value.into())
    }

    /// A variable.
    pub fn variable(symbol: S) -> LinearForm<S> {
        Affine::symbol_in(symbol, &mut Slopes)
    }

    /// A value that depends in unknown ways on these variables.
    pub fn unknown_in(symbols: impl IntoIterator<Item = S>) -> LinearForm<S> {
        symbols.into_iter().fold(Affine::invariant(None), |form, symbol| {
            let term = Affine::symbol_in(symbol, &mut Slopes);
            form.add_scaled_in(&Slope::Unknown, &term, &mut Slopes).unwrap_or(form)
        })
    }

    /// Whether the value depends on no variable.
    pub fn is_invariant(&self) -> bool {
        self.as_constant().is_some()
    }

    /// Difference of the values at `symbol + 1` and `symbol`, if it is known.
    pub fn slope(&self, symbol: &S) -> Option<i64> {
        self.term(symbol).map_or(Some(0), |it| it.known())
    }

    /// Sum.
    #[must_use]
    pub fn plus(&self, other: &LinearForm<S>) -> LinearForm<S> {
        self.plus_scaled(1, other)
    }

    /// Difference.
    #[must_use]
    pub fn minus(&self, other: &LinearForm<S>) -> LinearForm<S> {
        self.plus_scaled(-1, other)
    }

    fn plus_scaled(&self, factor: i64, other: &LinearForm<S>) -> LinearForm<S> {
        let sum = self.add_scaled_in(&Slope::Known(factor), other, &mut Slopes);
        sum.unwrap_or_else(|| self.combine(other))
    }

    /// Product.
    #[must_use]
    pub fn times(&self, other: &LinearForm<S>) -> LinearForm<S> {
        self.mul_in(other, &mut Slopes).unwrap_or_else(|| self.combine(other))
    }

    /// The value of any function of two values.
    #[must_use]
    pub fn combine(&self, other: &LinearForm<S>) -> LinearForm<S> {
        LinearForm::unknown_in(self.terms().chain(other.terms()).map(|it| it.0.clone()))
    }
}
