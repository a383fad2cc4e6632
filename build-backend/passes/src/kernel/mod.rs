//! Passes over kernels.

pub mod inline;
pub mod limit_unrolling;
pub(crate) mod remat_captures;
pub(crate) mod structurize_continue;
