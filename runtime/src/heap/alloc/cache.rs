//! Thread-local allocation caches: cells that a thread allocates from without a lock.

use std::cell::UnsafeCell;

use crate::heap::alloc::blocks::{CLASSES, NONE};

/// Free cells in a row, zero and already noted as taken.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// The next free cell.
    pub next: usize,
    /// End of the last one.
    pub end: usize,
}

/// Most bytes of a row: as much as stays in the fastest memory until it is used.
pub(crate) const MAX_ROW: usize = 4096;

/// A thread's own blocks.
pub(crate) struct Cache {
    /// What it allocates from, by size class.
    pub rows: [Row; CLASSES],
    /// By size class.
    pub blocks: [u32; CLASSES],
    /// Cells before this one are taken.
    pub cursors: [u32; CLASSES],
}

impl Cache {
    /// Without blocks.
    pub(crate) const fn new() -> Cache {
        Cache { rows: [Row { next: 0, end: 0 }; CLASSES], blocks: [NONE; CLASSES], cursors: [0; CLASSES] }
    }
}

/// A cache that its thread uses in critical sections and the collector while that thread is stopped.
pub(crate) struct CacheCell(pub UnsafeCell<Cache>);

// SAFETY: the cache is used by its thread in critical sections, and by the collector while that thread is
// stopped.
unsafe impl Sync for CacheCell {}

impl CacheCell {
    /// Without blocks.
    pub(crate) const fn new() -> CacheCell {
        CacheCell(UnsafeCell::new(Cache::new()))
    }

    /// Forgets all blocks; the thread is stopped.
    pub(crate) fn reset(&self) {
        // SAFETY: the owner is stopped outside critical sections.
        unsafe { *self.0.get() = Cache::new() }
    }
}
