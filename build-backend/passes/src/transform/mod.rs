//! Passes over host code.

pub(crate) mod devirtualize;
pub(crate) mod hoist_allocations;
pub(crate) mod outline;
pub(crate) mod specialize;
pub(crate) mod stack_alloc;
mod straight_line;
pub(crate) mod string_builder;
pub(crate) mod trust_declarations;
