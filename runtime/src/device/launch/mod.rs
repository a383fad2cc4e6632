//! Kernel launches: modules and functions, arguments, block sizes, the launch itself, and checks that fail in
//! kernels.

pub(crate) mod captures;
pub(crate) mod check_failure;
pub(crate) mod extents;
pub(crate) mod kernel_args;
pub(crate) mod launcher;
pub(crate) mod module;
pub(crate) mod occupancy;
pub(crate) mod stack;
