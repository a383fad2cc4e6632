//! Facts about a program. No module here changes it.

pub mod bounded_cost;
pub(crate) mod call_targets;
pub mod class_hierarchy;
pub mod constants;
pub(crate) mod escape;
pub(crate) mod exact_types;
