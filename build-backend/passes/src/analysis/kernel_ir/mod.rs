//! Facts about the kernel IR.

pub(crate) mod access_stride;
pub(crate) mod def_use;
pub(crate) mod induction;
