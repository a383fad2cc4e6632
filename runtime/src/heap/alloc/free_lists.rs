//! Free lists of the heap: free blocks, blocks with free cells, mixed blocks with gaps.

use crate::base::sanitizer;
use crate::heap::alloc::blocks::{BLOCK, BUCKETS, CLASSES, NONE, Region, kind};

/// Free blocks and cells.
pub(crate) struct FreeLists {
    /// Where the search for free blocks continues.
    pub cursor: u32,
    /// Free blocks below the top.
    pub free: u32,
    /// Blocks from here on have never been used; the top may be lower.
    pub high: u32,
    /// Blocks that may not be zero: those in use and those free with old data.
    pub touched: usize,
    /// Blocks with free cells, by size class.
    pub partial: [u32; CLASSES],
    /// Mixed blocks with gaps, by the logarithm of the longest one.
    pub mixed: [u32; BUCKETS],
}

impl FreeLists {
    /// Of a heap that was never used.
    pub(crate) const fn new() -> FreeLists {
        FreeLists {
            cursor: 0,
            free: 0,
            high: 0,
            touched: 0,
            partial: [NONE; CLASSES],
            mixed: [NONE; BUCKETS],
        }
    }
}

/// Marks a swept block as free; all threads are stopped.
pub(crate) fn release(region: &Region, free_lists: &mut FreeLists, block: u32) {
    region.set_kind(block, kind::FREE_DIRTY);
    sanitizer::poison(region.address(block), BLOCK);
    free_lists.free += 1;
}
