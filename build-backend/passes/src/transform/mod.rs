//! Passes over host code.

mod devirtualize;
mod hoist_allocations;
pub(crate) mod loop_versioning;
pub(crate) mod outline;
pub(crate) mod propagate_types;
mod specialize;
pub(crate) mod stack_alloc;
mod straight_line;
pub(crate) mod string_builder;
pub(crate) mod trust_declarations;
