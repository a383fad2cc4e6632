//! Caches on a device between launches: captured rails, and constant memory.

pub(crate) mod constants;
pub(crate) mod rail_cache;
