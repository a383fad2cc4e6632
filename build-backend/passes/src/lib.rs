//! Analyses and transformations of MIR and of the kernel IR, in the order of [`pipeline`].
//!
//! Transformations of host code are whole-program: calls go through tables and objects come from the
//! collector, so that a C++ compiler sees neither the callee nor the lifetime. Transformations of kernels
//! prepare them for code generation; each kernel then becomes [`kernel_ir`], which further passes transform
//! and code generation prints.

#![warn(clippy::print_stderr)]

pub mod analysis;
pub mod kernel_ir;
pub mod pipeline;
mod transform;
mod values;
