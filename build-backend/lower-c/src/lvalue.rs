//! Lvalues (C17 6.3.2.1): what an expression designates.

use apg_mir::{Expr, LocalId, Place, Ty};

/// An object or a part of one.
#[derive(Clone, Debug)]
pub(crate) enum Lvalue {
    Local(LocalId, Ty),
    Place(Place),
    Bits(Box<BitField>),
}

impl Lvalue {
    pub(crate) fn ty(&self) -> Ty {
        match self {
            Lvalue::Local(_, ty) => *ty,
            Lvalue::Place(place) => place.ty,
            Lvalue::Bits(of) => of.ty,
        }
    }
}

/// A bit-field of an object.
#[derive(Clone, Debug)]
pub(crate) struct BitField {
    /// The address of its first byte, in a local.
    pub address: Expr,
    /// Its first bit in that byte.
    pub shift: u64,
    /// How many bits it has: at most 64.
    pub width: u64,
    /// It is declared with a signed type.
    pub is_signed: bool,
    /// The type of its value: with fewer bits than an `int` has that is one (C17 6.3.1.1, paragraph 2).
    pub ty: Ty,
}

impl BitField {
    /// How many bytes it is in.
    pub(crate) fn bytes(&self) -> u64 {
        (self.shift + self.width).div_ceil(8)
    }

    /// Ones in its bits, shifted to the lowest.
    pub(crate) fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }
}
