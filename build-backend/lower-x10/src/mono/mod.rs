//! Monomorphisation: the instances of classes and functions that the program needs.

pub(crate) mod collect;
pub(crate) mod entry;
pub(crate) mod instances;
pub(crate) mod recursion;
pub(crate) mod scc;
pub(crate) mod semantics;
pub(crate) mod types;
