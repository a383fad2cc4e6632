//! Residue classes (Granger, *Static analysis of arithmetical congruences*, International Journal of Computer
//! Mathematics 1989).

use std::fmt;

use crate::integer::gcd;

/// The integers that are congruent to a remainder. Modulus 1 is all integers, modulus 0 the remainder alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Congruence {
    modulus: u64,
    /// In `0..modulus`, unless the modulus is zero.
    remainder: i64,
}

/// Largest modulus: a larger one is replaced by a divisor of it, so that remainders fit.
const MAX_MODULUS: u64 = 1 << 62;

impl Congruence {
    /// All integers.
    pub const ALL: Congruence = Congruence { modulus: 1, remainder: 0 };

    /// One integer.
    pub const fn constant(value: i64) -> Congruence {
        Congruence { modulus: 0, remainder: value }
    }

    /// Multiples of a number.
    pub fn multiples_of(modulus: u64) -> Congruence {
        Congruence::new(modulus, 0)
    }

    /// The integers congruent to `remainder`.
    pub fn new(modulus: u64, remainder: i64) -> Congruence {
        Congruence::from_wide(modulus, i128::from(remainder))
    }

    fn from_wide(modulus: u64, remainder: i128) -> Congruence {
        match modulus {
            0 => i64::try_from(remainder).map_or(Congruence::ALL, Congruence::constant),
            1..=MAX_MODULUS => {
                let remainder = remainder.rem_euclid(i128::from(modulus));
                i64::try_from(remainder)
                    .map_or(Congruence::ALL, |remainder| Congruence { modulus, remainder })
            }
            _ => Congruence::ALL,
        }
    }

    /// The modulus: 0 for one integer, 1 for all.
    pub fn modulus(self) -> u64 {
        self.modulus
    }

    /// The smallest non-negative member, or the only one.
    pub fn remainder(self) -> i64 {
        self.remainder
    }

    /// The only member.
    pub fn as_constant(self) -> Option<i64> {
        (self.modulus == 0).then_some(self.remainder)
    }

    /// Whether a value is a member.
    pub fn contains(self, value: i64) -> bool {
        let gap = i128::from(value) - i128::from(self.remainder);
        if self.modulus == 0 { gap == 0 } else { gap % i128::from(self.modulus) == 0 }
    }

    /// Whether all members are multiples of a number.
    pub fn is_multiple_of(self, number: u64) -> bool {
        self.modulus.is_multiple_of(number) && self.remainder.unsigned_abs().is_multiple_of(number)
    }

    /// The number of low bits that are zero in all members.
    pub fn trailing_zeros(self) -> u32 {
        let zeros = |it: u64| it.trailing_zeros().min(62);
        zeros(self.modulus).min(zeros(self.remainder.unsigned_abs()))
    }

    /// The smallest class that contains both: the join of the lattice.
    #[must_use]
    pub fn join(self, other: Congruence) -> Congruence {
        let gap = self.remainder.abs_diff(other.remainder);
        Congruence::new(gcd(gcd(self.modulus, other.modulus), gap), self.remainder)
    }

    /// Members of both classes, or a superset of them; `None` if there are none.
    pub fn intersect(self, other: Congruence) -> Option<Congruence> {
        let common = gcd(self.modulus, other.modulus);
        let gap = self.remainder.abs_diff(other.remainder);
        if !gap.is_multiple_of(common) {
            return None;
        }
        // The finer class is exact if the other one divides it, and a superset otherwise.
        let is_finer =
            |a: Congruence, b: Congruence| a.modulus == 0 || b.modulus != 0 && a.modulus >= b.modulus;
        Some(if is_finer(self, other) { self } else { other })
    }
}

/// Sums of members.
impl std::ops::Add for Congruence {
    type Output = Congruence;

    fn add(self, other: Congruence) -> Congruence {
        let remainder = i128::from(self.remainder) + i128::from(other.remainder);
        Congruence::from_wide(gcd(self.modulus, other.modulus), remainder)
    }
}

/// Differences of members.
impl std::ops::Sub for Congruence {
    type Output = Congruence;

    fn sub(self, other: Congruence) -> Congruence {
        let remainder = i128::from(self.remainder) - i128::from(other.remainder);
        Congruence::from_wide(gcd(self.modulus, other.modulus), remainder)
    }
}

/// Products of members.
impl std::ops::Mul for Congruence {
    type Output = Congruence;

    fn mul(self, other: Congruence) -> Congruence {
        let remainder = i128::from(self.remainder) * i128::from(other.remainder);
        let product = |a: u64, b: u64| a.checked_mul(b);
        let parts = [
            product(self.modulus, other.modulus),
            product(self.modulus, other.remainder.unsigned_abs()),
            product(other.modulus, self.remainder.unsigned_abs()),
        ];
        // A part that overflows has the same divisors as its operands, of which 1 is safe.
        let modulus = parts.into_iter().try_fold(0, |all, part| part.map(|part| gcd(all, part)));
        modulus.map_or(Congruence::ALL, |modulus| Congruence::from_wide(modulus, remainder))
    }
}

impl fmt::Display for Congruence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.modulus {
            0 => write!(f, "{}", self.remainder),
            modulus => write!(f, "{modulus}Z + {}", self.remainder),
        }
    }
}
