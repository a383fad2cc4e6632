//! Lowering of kernels and of the code that launches them.

pub(crate) mod capture_stability;
pub(crate) mod collectives;
pub(crate) mod device;
pub(crate) mod launch;
pub(crate) mod slots;
