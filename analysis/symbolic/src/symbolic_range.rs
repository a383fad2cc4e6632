//! Symbolic ranges: intervals whose bounds are expressions (Blume and Eigenmann, *Symbolic range
//! propagation*, IPPS 1995).

use std::hash::Hash;

use crate::affine::Affine;
use crate::expression::{ExprPool, SymExpr};

/// The integers between two bounds, both included; `None` is unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SymRange {
    /// Lower bound.
    pub low: Option<SymExpr>,
    /// Upper bound.
    pub high: Option<SymExpr>,
}

impl SymRange {
    /// All integers.
    pub const ALL: SymRange = SymRange { low: None, high: None };

    /// The integers between two bounds.
    pub fn new(low: SymExpr, high: SymExpr) -> SymRange {
        SymRange { low: Some(low), high: Some(high) }
    }

    /// One integer.
    pub fn constant(value: SymExpr) -> SymRange {
        SymRange::new(value, value)
    }

    /// Whether nothing is known.
    pub fn is_all(&self) -> bool {
        *self == SymRange::ALL
    }

    /// The smallest range that contains both.
    pub fn hull<S: Clone + Eq + Hash>(&self, other: &SymRange, pool: &mut ExprPool<S>) -> SymRange {
        SymRange {
            low: self.low.zip(other.low).map(|(a, b)| pool.min(a, b)),
            high: self.high.zip(other.high).map(|(a, b)| pool.max(a, b)),
        }
    }

    /// The members of both.
    pub fn intersect<S: Clone + Eq + Hash>(&self, other: &SymRange, pool: &mut ExprPool<S>) -> SymRange {
        SymRange {
            low: self.low.zip(other.low).map(|(a, b)| pool.max(a, b)).or(self.low).or(other.low),
            high: self.high.zip(other.high).map(|(a, b)| pool.min(a, b)).or(self.high).or(other.high),
        }
    }

    /// The values of an affine form whose symbols are in given ranges.
    pub fn of_affine<S: Clone + Eq + Hash, T: Ord + Clone>(
        form: &Affine<T, SymExpr>,
        range_of: impl Fn(&T) -> SymRange,
        pool: &mut ExprPool<S>,
    ) -> SymRange {
        let mut sum = SymRange::constant(form.constant);
        for (symbol, factor) in form.terms() {
            let scaled = range_of(symbol).scale(*factor, pool);
            sum = SymRange {
                low: sum.low.zip(scaled.low).map(|(a, b)| pool.add(a, b)),
                high: sum.high.zip(scaled.high).map(|(a, b)| pool.add(a, b)),
            };
        }
        sum
    }

    /// Members times a number. A number of unknown sign needs both bounds.
    fn scale<S: Clone + Eq + Hash>(&self, factor: SymExpr, pool: &mut ExprPool<S>) -> SymRange {
        let mut product = |it: Option<SymExpr>| it.map(|it| pool.mul(it, factor));
        let (first, last) = (product(self.low), product(self.high));
        match factor {
            SymExpr::Const(..=-1) => SymRange { low: last, high: first },
            SymExpr::Const(_) => SymRange { low: first, high: last },
            SymExpr::Node(_) => match first.zip(last) {
                Some((a, b)) => SymRange::new(pool.min(a, b), pool.max(a, b)),
                None => SymRange::ALL,
            },
        }
    }
}
