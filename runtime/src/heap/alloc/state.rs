//! State of the heap: its blocks, what is free, how much is used, and when a collection is due.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::base::fatal::fail_and_suspend;
use crate::heap::alloc::blocks::{BLOCK, Region, kind};
use crate::heap::alloc::free_lists::FreeLists;
use crate::heap::alloc::limits::{self, Ceiling, FutileCollections, Limits, RESERVE, min_threshold};
use crate::heap::alloc::trim;

/// The heap of this process.
pub(crate) struct Heap {
    /// Its memory.
    pub region: Region,
    /// What is free.
    pub(super) free_lists: Mutex<FreeLists>,
    /// Blocks that hold objects, or may soon.
    pub(super) used: AtomicUsize,
    /// Bytes that count against the limit ([`limits`]); changed under the lock, or while all threads are
    /// stopped.
    pub(super) charged: AtomicUsize,
    /// Collect when this number of blocks is used.
    pub(super) threshold: AtomicUsize,
    /// Never exceeded, except by exceptions.
    pub(super) limits: Limits,
    /// Blocks used after the last collection.
    pub(super) kept: AtomicUsize,
    /// The collector's own.
    pub(super) futile: Mutex<FutileCollections>,
    /// The program would do little more than collect.
    pub(super) is_nearly_full: AtomicBool,
    /// Blocks allocated for message contents since the last collection.
    pub(super) received_blocks: AtomicUsize,
}

static HEAP: OnceLock<Heap> = OnceLock::new();

/// The heap, made on first use unless it has been [`prepare`]d.
pub(crate) fn heap() -> &'static Heap {
    HEAP.get_or_init(|| {
        Heap::new().unwrap_or_else(|error| {
            report!("apg: {error}");
            fail_and_suspend(1)
        })
    })
}

/// Makes the heap, unless it is in use.
///
/// # Errors
/// There are not enough addresses, in words for the user.
pub fn prepare() -> Result<(), String> {
    if HEAP.get().is_none() {
        let new = Heap::new()?;
        HEAP.get_or_init(|| new);
    }
    Ok(())
}

impl Heap {
    fn new() -> Result<Heap, String> {
        let (region, limits) = limits::reserve()?;
        Ok(Heap {
            region,
            free_lists: Mutex::new(FreeLists::new()),
            used: AtomicUsize::new(0),
            charged: AtomicUsize::new(0),
            threshold: AtomicUsize::new(min_threshold().min(limits.bytes / BLOCK)),
            limits,
            kept: AtomicUsize::new(0),
            futile: Mutex::new(FutileCollections::new()),
            is_nearly_full: AtomicBool::new(false),
            received_blocks: AtomicUsize::new(0),
        })
    }

    /// What is free. The lock is one of the standard library's, which needs nothing but itself: it is taken
    /// in critical sections.
    pub(crate) fn free_lists(&self) -> MutexGuard<'_, FreeLists> {
        self.free_lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether more than half of what may be used is.
    pub(crate) fn is_half_full(&self) -> bool {
        self.charged() > self.limits.bytes / 2
    }

    pub(super) fn charged(&self) -> usize {
        self.charged.load(Ordering::Relaxed)
    }

    /// What may be used before a collection is due.
    pub(super) fn planned(&self) -> Ceiling {
        Ceiling { bytes: self.limits.bytes, blocks: self.threshold.load(Ordering::Relaxed) }
    }

    /// Sets when to collect next, after a collection that has left so much.
    pub(crate) fn plan(&self, used: usize, charged: usize) {
        self.used.store(used, Ordering::Relaxed);
        self.charged.store(charged, Ordering::Relaxed);
        let left = self.limits.bytes.saturating_sub(charged) / BLOCK;
        let next = (used + used.max(min_threshold()).min(left)).min(self.limits.blocks);
        self.threshold.store(next.max(used), Ordering::Relaxed);
        self.kept.store(used, Ordering::Relaxed);
        self.received_blocks.store(0, Ordering::Relaxed);
    }

    /// Notes how long a collection took.
    pub(crate) fn note_time(&self, took: Duration) {
        /// A collection that leaves less than this fraction of the heap free is futile.
        const FUTILE_FRACTION: usize = 64;
        let is_futile =
            self.limits.bytes.saturating_sub(self.charged()) < self.limits.bytes / FUTILE_FRACTION;
        let mut futile = self.futile.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_nearly_full.store(futile.note(is_futile, took, Instant::now()), Ordering::Relaxed);
    }

    /// Whether the program would do little more than collect.
    pub(super) fn is_nearly_full(&self) -> bool {
        self.is_nearly_full.load(Ordering::Relaxed)
    }

    /// Whether `used` blocks are most of the limit.
    pub(crate) fn is_short_of_blocks(&self, used: usize) -> bool {
        used * BLOCK > self.limits.bytes / 4 * 3
    }

    /// Whether `used` blocks are more than the limit: fragmentation takes much memory.
    pub(crate) fn is_beyond_limit(&self, used: usize) -> bool {
        used * BLOCK > self.limits.bytes
    }

    /// Whether a collection is due if `blocks` more are needed. Message contents are short-lived as a rule,
    /// and writing them to recently used memory is faster.
    pub(crate) fn is_due(&self, blocks: usize) -> bool {
        /// Blocks that fit the caches of a CPU.
        const MIN_RECEIVED_BLOCKS: usize = 256;
        let received_blocks = self.received_blocks.load(Ordering::Relaxed);
        let planned = self.planned();
        self.used.load(Ordering::Relaxed) + blocks > planned.blocks
            || self.charged() + blocks * BLOCK > planned.bytes
            || received_blocks >= MIN_RECEIVED_BLOCKS
                && received_blocks > 4 * self.kept.load(Ordering::Relaxed)
    }

    /// A run of free blocks; `None` if more than `ceiling` would be in use.
    pub(super) fn take_blocks(
        &self,
        free_lists: &mut FreeLists,
        count: u32,
        ceiling: Ceiling,
    ) -> Option<u32> {
        let (blocks, bytes) = (count as usize, count as usize * BLOCK);
        let used = self.used.load(Ordering::Relaxed);
        if used + blocks > ceiling.blocks || self.charged() + bytes > ceiling.bytes {
            return None;
        }
        let first = if free_lists.free >= count { self.search(free_lists, count) } else { None };
        let first = match first {
            Some(first) => {
                free_lists.free -= count;
                first
            }
            None => {
                let top = self.region.top();
                let end = top.checked_add(count).filter(|end| *end <= self.region.blocks())?;
                self.region.set_top(end);
                free_lists.high = free_lists.high.max(end);
                top
            }
        };
        self.used.store(used + blocks, Ordering::Relaxed);
        self.charged.fetch_add(bytes, Ordering::Relaxed);
        free_lists.touched += (first..first + count).filter(|it| self.region.kind(*it) == kind::FREE).count();
        Some(first)
    }

    /// Gives memory back to the system if more is touched than may be used; those blocks that were just taken
    /// are no longer free.
    pub(super) fn trim(&self, free_lists: &mut FreeLists) {
        let max_touched = self.limits.bytes / BLOCK + RESERVE;
        if free_lists.touched > max_touched && free_lists.touched > self.used.load(Ordering::Relaxed) {
            // Some more, so that it is not done again for the next block.
            trim::release_free_blocks(&self.region, free_lists, max_touched - max_touched / 16);
        }
    }

    /// The next run of free blocks after the cursor, around the end.
    fn search(&self, free_lists: &mut FreeLists, count: u32) -> Option<u32> {
        let top = self.region.top();
        let start = free_lists.cursor.min(top);
        for (from, to) in [(start, top), (0, start.saturating_add(count - 1).min(top))] {
            let mut run = 0;
            for block in from..to {
                run = if self.region.is_free(block) { run + 1 } else { 0 };
                if run == count {
                    free_lists.cursor = block + 1;
                    return Some(block + 1 - count);
                }
            }
        }
        None
    }
}

/// Bytes of objects and of the blocks from which threads allocate.
pub fn bytes_in_use() -> usize {
    heap().charged()
}
