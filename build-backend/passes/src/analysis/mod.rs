//! Facts about a program. No module here changes it.

pub(crate) mod access_summary;
pub(crate) mod affine;
pub mod bounded_cost;
pub(crate) mod call_targets;
pub mod class_hierarchy;
pub mod constants;
pub(crate) mod escape;
pub(crate) mod exact_types;
pub(crate) mod expressions;
pub mod induction_step;
pub mod init_barrier;
pub(crate) mod init_effects;
pub(crate) mod jumps;
pub(crate) mod kernel_ir;
pub mod locals;
pub mod ranges;
pub(crate) mod uniformity;
pub(crate) mod warp_regions;
