//! Allocation: blocks of one size class, thread caches, mixed blocks for a heap that is nearly full, and its
//! limits.

pub(crate) mod allocator;
pub(crate) mod blocks;
pub(crate) mod cache;
pub(crate) mod free_lists;
pub(crate) mod limits;
pub(crate) mod mixed_blocks;
pub(crate) mod state;
pub(crate) mod trim;
