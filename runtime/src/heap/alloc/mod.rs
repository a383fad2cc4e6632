//! Allocation: blocks of one size class, thread caches, mixed blocks for a heap that is nearly full, and its
//! limits.

pub(crate) mod allocator;
pub(crate) mod blocks;
pub(crate) mod limits;
pub(crate) mod mixed_blocks;
pub(crate) mod trim;
