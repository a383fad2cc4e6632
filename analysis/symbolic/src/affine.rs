//! Affine forms, `c0 + c1 * s1 + ... + cn * sn` (Feautrier, *Dataflow analysis of array and scalar
//! references*, IJPP 1991; Aho, Lam, Sethi and Ullman, *Compilers*, 11.3).
//!
//! Coefficients are 64-bit integers, or the elements of any other [`Ring`]: launch conditions of kernels have
//! coefficients that are known on the host only. All arithmetic is checked: a form that overflows is `None`.

use std::collections::BTreeMap;
use std::fmt;

use crate::integer::gcd;

/// Arithmetic of coefficients.
pub trait Ring {
    /// A coefficient.
    type Element: Clone + PartialEq;
    /// The coefficient of an integer.
    fn integer(&mut self, value: i64) -> Self::Element;
    /// Whether a coefficient is known to be zero.
    fn is_zero(&self, value: &Self::Element) -> bool;
    /// Sum; `None` on overflow.
    fn add(&mut self, a: &Self::Element, b: &Self::Element) -> Option<Self::Element>;
    /// Product; `None` on overflow.
    fn mul(&mut self, a: &Self::Element, b: &Self::Element) -> Option<Self::Element>;
}

/// The ring of 64-bit integers with checked arithmetic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Integers;

impl Ring for Integers {
    type Element = i64;

    fn integer(&mut self, value: i64) -> i64 {
        value
    }

    fn is_zero(&self, value: &i64) -> bool {
        *value == 0
    }

    fn add(&mut self, a: &i64, b: &i64) -> Option<i64> {
        a.checked_add(*b)
    }

    fn mul(&mut self, a: &i64, b: &i64) -> Option<i64> {
        a.checked_mul(*b)
    }
}

/// A linear combination of symbols `S` plus a constant. No coefficient is zero.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Affine<S, C = i64> {
    /// The constant term.
    pub constant: C,
    terms: BTreeMap<S, C>,
}

impl<S, C: Default> Default for Affine<S, C> {
    fn default() -> Affine<S, C> {
        Affine { constant: C::default(), terms: BTreeMap::new() }
    }
}

impl<S: Ord + Clone, C: Clone + PartialEq> Affine<S, C> {
    /// A form without symbols.
    pub fn from_constant(constant: C) -> Affine<S, C> {
        Affine { constant, terms: BTreeMap::new() }
    }

    /// The form of one symbol, in the ring of its coefficients.
    pub fn symbol_in(symbol: S, ring: &mut impl Ring<Element = C>) -> Affine<S, C> {
        let (constant, one) = (ring.integer(0), ring.integer(1));
        Affine { constant, terms: BTreeMap::from([(symbol, one)]) }
    }

    /// The constant, if the form has no symbol.
    pub fn as_constant(&self) -> Option<&C> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The symbols and their coefficients, in the order of symbols.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&S, &C)> {
        self.terms.iter()
    }

    /// The coefficient of a symbol; `None` is zero.
    pub fn term(&self, symbol: &S) -> Option<&C> {
        self.terms.get(symbol)
    }

    /// The form without one symbol, and the coefficient that it had.
    pub fn split_off(mut self, symbol: &S) -> (Affine<S, C>, Option<C>) {
        let coefficient = self.terms.remove(symbol);
        (self, coefficient)
    }

    /// Keeps the terms for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&S, &C) -> bool) {
        self.terms.retain(|symbol, coefficient| keep(symbol, coefficient));
    }

    /// `self + factor * other` in a ring; `None` on overflow.
    pub fn add_scaled_in(
        &self,
        factor: &C,
        other: &Affine<S, C>,
        ring: &mut impl Ring<Element = C>,
    ) -> Option<Affine<S, C>> {
        let mut sum = self.clone();
        let more = ring.mul(&other.constant, factor)?;
        sum.constant = ring.add(&sum.constant, &more)?;
        for (symbol, coefficient) in &other.terms {
            let more = ring.mul(coefficient, factor)?;
            let all = match sum.terms.get(symbol) {
                Some(own) => ring.add(own, &more)?,
                None => more,
            };
            sum.terms.insert(symbol.clone(), all);
        }
        sum.terms.retain(|_, coefficient| !ring.is_zero(coefficient));
        Some(sum)
    }

    /// The product in a ring; `None` if it is not affine, and on overflow.
    pub fn mul_in(&self, other: &Affine<S, C>, ring: &mut impl Ring<Element = C>) -> Option<Affine<S, C>> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => other.scale_in(factor, ring),
            (_, Some(factor)) => self.scale_in(factor, ring),
            _ => None,
        }
    }

    /// The form times a coefficient in a ring; `None` on overflow.
    pub fn scale_in(&self, factor: &C, ring: &mut impl Ring<Element = C>) -> Option<Affine<S, C>> {
        let mut scaled = Affine::from_constant(ring.mul(&self.constant, factor)?);
        for (symbol, coefficient) in &self.terms {
            scaled.terms.insert(symbol.clone(), ring.mul(coefficient, factor)?);
        }
        scaled.terms.retain(|_, coefficient| !ring.is_zero(coefficient));
        Some(scaled)
    }
}

impl<S: Ord + Clone> Affine<S> {
    /// The form of one symbol.
    pub fn symbol(symbol: S) -> Affine<S> {
        Affine::symbol_in(symbol, &mut Integers)
    }

    /// The coefficient of a symbol.
    pub fn coefficient(&self, symbol: &S) -> i64 {
        self.term(symbol).copied().unwrap_or(0)
    }

    /// `self + factor * other`; `None` on overflow.
    pub fn add_scaled(&self, factor: i64, other: &Affine<S>) -> Option<Affine<S>> {
        self.add_scaled_in(&factor, other, &mut Integers)
    }

    /// `self + other`; `None` on overflow.
    pub fn checked_add(&self, other: &Affine<S>) -> Option<Affine<S>> {
        self.add_scaled(1, other)
    }

    /// `self - other`; `None` on overflow.
    pub fn checked_sub(&self, other: &Affine<S>) -> Option<Affine<S>> {
        self.add_scaled(-1, other)
    }

    /// The form times a number; `None` on overflow.
    pub fn checked_scale(&self, factor: i64) -> Option<Affine<S>> {
        self.scale_in(&factor, &mut Integers)
    }

    /// The product; `None` if it is not affine, and on overflow.
    pub fn checked_mul(&self, other: &Affine<S>) -> Option<Affine<S>> {
        self.mul_in(other, &mut Integers)
    }

    /// The form with a symbol replaced by another form; `None` on overflow.
    pub fn substitute(&self, symbol: &S, value: &Affine<S>) -> Option<Affine<S>> {
        match self.clone().split_off(symbol) {
            (rest, Some(factor)) => rest.add_scaled(factor, value),
            (rest, None) => Some(rest),
        }
    }

    /// The value for given values of symbols; `None` if one is unknown, and on overflow.
    pub fn evaluate(&self, value_of: &dyn Fn(&S) -> Option<i64>) -> Option<i64> {
        self.terms.iter().try_fold(self.constant, |sum, (symbol, coefficient)| {
            sum.checked_add(value_of(symbol)?.checked_mul(*coefficient)?)
        })
    }

    /// Greatest common divisor of the coefficients; zero without symbols.
    pub fn content(&self) -> u64 {
        self.terms.values().fold(0, |all, coefficient| gcd(all, coefficient.unsigned_abs()))
    }

    /// The ordering of two forms, if it is the same for all values of the symbols.
    pub fn partial_cmp_everywhere(&self, other: &Affine<S>) -> Option<std::cmp::Ordering> {
        self.checked_sub(other)?.as_constant().map(|gap| gap.cmp(&0))
    }
}

impl<S: fmt::Display, C: fmt::Display> fmt::Display for Affine<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (symbol, coefficient) in &self.terms {
            write!(f, "{coefficient}*{symbol} + ")?;
        }
        write!(f, "{}", self.constant)
    }
}
