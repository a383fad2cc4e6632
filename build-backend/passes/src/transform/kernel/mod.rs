//! Passes over the MIR of kernels.

pub(crate) mod inline;
pub(crate) mod limit_unrolling;
pub(crate) mod remat_captures;
pub(crate) mod structurize_continue;
