//! Transformations, one file each: of host code here, of the MIR of kernels in [`kernel`], of the kernel IR
//! in [`kernel_ir`].

mod devirtualize;
mod hoist_allocations;
pub(crate) mod kernel;
pub(crate) mod kernel_ir;
pub(crate) mod loop_versioning;
pub(crate) mod outline;
pub(crate) mod propagate_types;
mod specialize;
pub(crate) mod stack_alloc;
mod straight_line;
pub(crate) mod string_builder;
pub(crate) mod trust_declarations;
