//! Safepoints: stopping the threads that may touch objects, and the stacks that are read while they stand.

pub(crate) mod mutators;
pub(crate) mod registers;
pub(crate) mod stacks;
