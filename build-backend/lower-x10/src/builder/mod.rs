//! The MIR of one function under construction.

pub(crate) mod function;
pub(crate) mod operands;
pub(crate) mod span;
