//! Storage of the locals of a thread.

use apg_mir::*;

/// Storage class of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Captures, indices and shared arrays: declared elsewhere.
    Predefined,
    /// One value for all threads of a block.
    Uniform,
    /// A variable of one parallel region.
    Register,
    /// An array with an element for each thread.
    ContextArray,
    /// Recomputed where it is used.
    Rematerialized,
    /// Not used in the body.
    Unused,
}

/// An array that a thread allocates; its length is a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrivateRail {
    /// Number of elements.
    pub length: i64,
    /// It is only indexed, so that elements of adjacent threads can be adjacent.
    pub is_interleaved: bool,
}

/// A rematerialised local.
#[derive(Clone, Debug)]
pub struct Rematerialized {
    /// The local.
    pub local: LocalId,
    /// Its only value, or its initial value.
    pub value: Expr,
    /// The sum of its uniform steps is in a variable of its own.
    pub has_offset: bool,
}
