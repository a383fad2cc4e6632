//! Allocation: a thread takes cells from blocks of its own, without a lock (thread-local caches over
//! segregated size classes).

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::base::sanitizer;
use crate::heap::alloc::blocks::{
    BLOCK, CLASS_SIZES, CLASSES, LARGE_PADDING, MAX_SMALL_SIZE, NONE, Region, class_of, kind,
    request_huge_pages, zero,
};
use crate::heap::alloc::limits;
use crate::heap::alloc::limits::{
    Ceiling, FutileCollections, HANDLER_RESERVE, Limits, RESERVE, min_threshold,
};
use crate::heap::alloc::{mixed_blocks, trim};
use crate::heap::hooks;
use crate::heap::mark::collect;
use crate::heap::object::{ARRAY_HEADER, Ref};
use crate::heap::safepoint::mutators;
use crate::layout::{Counted, Kind, Object, Type};

/// The heap of this process.
pub struct Heap {
    /// Its memory.
    pub region: Region,
    /// What is free.
    central: Mutex<Central>,
    /// Blocks that hold objects, or may soon.
    used: AtomicUsize,
    /// Bytes that count against the limit ([`limits`]); changed under the lock, or while all threads are
    /// stopped.
    charged: AtomicUsize,
    /// Collect when this number of blocks is used.
    threshold: AtomicUsize,
    /// Never exceeded, except by exceptions.
    limits: Limits,
    /// Blocks used after the last collection.
    kept: AtomicUsize,
    /// The collector's own.
    futile: Mutex<FutileCollections>,
    /// The program would do little more than collect.
    is_nearly_full: AtomicBool,
    /// Blocks allocated for message contents since the last collection.
    received_blocks: AtomicUsize,
}

/// Free blocks and cells.
pub struct Central {
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
    pub mixed: [u32; mixed_blocks::BUCKETS],
}

impl Central {
    /// Of a heap that was never used.
    pub const fn new() -> Central {
        Central {
            cursor: 0,
            free: 0,
            high: 0,
            touched: 0,
            partial: [NONE; CLASSES],
            mixed: [NONE; mixed_blocks::BUCKETS],
        }
    }
}

/// Free cells in a row, zero and already noted as taken.
#[derive(Clone, Copy)]
struct Row {
    next: usize,
    end: usize,
}

/// Most bytes of a row: as much as stays in the fastest memory until it is used.
const MAX_ROW: usize = 4096;

/// A thread's own blocks.
pub struct Cache {
    /// What it allocates from, by size class.
    rows: [Row; CLASSES],
    /// By size class.
    blocks: [u32; CLASSES],
    /// Cells before this one are taken.
    cursors: [u32; CLASSES],
}

impl Cache {
    /// Without blocks.
    pub const fn new() -> Cache {
        Cache { rows: [Row { next: 0, end: 0 }; CLASSES], blocks: [NONE; CLASSES], cursors: [0; CLASSES] }
    }
}

/// A cache that its thread uses in critical sections and the collector while that thread is stopped.
pub struct CacheCell(UnsafeCell<Cache>);

// SAFETY: the cache is used by its thread in critical sections, and by the collector while that thread is
// stopped.
unsafe impl Sync for CacheCell {}

impl CacheCell {
    /// Without blocks.
    pub const fn new() -> CacheCell {
        CacheCell(UnsafeCell::new(Cache::new()))
    }

    /// Forgets all blocks; the thread is stopped.
    pub fn reset(&self) {
        // SAFETY: the owner is stopped outside critical sections.
        unsafe { *self.0.get() = Cache::new() }
    }
}

static HEAP: OnceLock<Heap> = OnceLock::new();

/// The heap, made on first use.
pub fn heap() -> &'static Heap {
    HEAP.get_or_init(|| {
        let (region, limits) = limits::reserve();
        Heap {
            region,
            central: Mutex::new(Central::new()),
            used: AtomicUsize::new(0),
            charged: AtomicUsize::new(0),
            threshold: AtomicUsize::new(min_threshold().min(limits.bytes / BLOCK)),
            limits,
            kept: AtomicUsize::new(0),
            futile: Mutex::new(FutileCollections::new()),
            is_nearly_full: AtomicBool::new(false),
            received_blocks: AtomicUsize::new(0),
        }
    })
}

impl Heap {
    /// What is free. The lock is one of the standard library's, which needs nothing but itself: it is taken
    /// in critical sections.
    pub fn central(&self) -> MutexGuard<'_, Central> {
        self.central.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether more than half of what may be used is.
    pub fn is_half_full(&self) -> bool {
        self.charged() > self.limits.bytes / 2
    }

    fn charged(&self) -> usize {
        self.charged.load(Ordering::Relaxed)
    }

    /// What may be used before a collection is due.
    fn planned(&self) -> Ceiling {
        Ceiling { bytes: self.limits.bytes, blocks: self.threshold.load(Ordering::Relaxed) }
    }

    /// Sets when to collect next, after a collection that has left so much.
    pub fn plan(&self, used: usize, charged: usize) {
        self.used.store(used, Ordering::Relaxed);
        self.charged.store(charged, Ordering::Relaxed);
        let left = self.limits.bytes.saturating_sub(charged) / BLOCK;
        let next = (used + used.max(min_threshold()).min(left)).min(self.limits.blocks);
        self.threshold.store(next.max(used), Ordering::Relaxed);
        self.kept.store(used, Ordering::Relaxed);
        self.received_blocks.store(0, Ordering::Relaxed);
    }

    /// Notes how long a collection took.
    pub fn note_time(&self, took: Duration) {
        /// A collection that leaves less than this fraction of the heap free is futile.
        const FUTILE_FRACTION: usize = 64;
        let is_futile =
            self.limits.bytes.saturating_sub(self.charged()) < self.limits.bytes / FUTILE_FRACTION;
        let mut futile = self.futile.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_nearly_full.store(futile.note(is_futile, took, Instant::now()), Ordering::Relaxed);
    }

    /// Whether the program would do little more than collect.
    fn is_nearly_full(&self) -> bool {
        self.is_nearly_full.load(Ordering::Relaxed)
    }

    /// Whether `used` blocks are most of the limit.
    pub fn is_short_of_blocks(&self, used: usize) -> bool {
        used * BLOCK > self.limits.bytes / 4 * 3
    }

    /// Whether `used` blocks are more than the limit: fragmentation takes much memory.
    pub fn is_beyond_limit(&self, used: usize) -> bool {
        used * BLOCK > self.limits.bytes
    }

    /// Whether a collection is due if `blocks` more are needed. Message contents are short-lived as a rule,
    /// and writing them to recently used memory is faster.
    pub fn is_due(&self, blocks: usize) -> bool {
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
    fn take_blocks(&self, central: &mut Central, count: u32, ceiling: Ceiling) -> Option<u32> {
        let (blocks, bytes) = (count as usize, count as usize * BLOCK);
        let used = self.used.load(Ordering::Relaxed);
        if used + blocks > ceiling.blocks || self.charged() + bytes > ceiling.bytes {
            return None;
        }
        let first = if central.free >= count { self.search(central, count) } else { None };
        let first = match first {
            Some(first) => {
                central.free -= count;
                first
            }
            None => {
                let top = self.region.top();
                let end = top.checked_add(count).filter(|end| *end <= self.region.blocks())?;
                self.region.set_top(end);
                central.high = central.high.max(end);
                top
            }
        };
        self.used.store(used + blocks, Ordering::Relaxed);
        self.charged.fetch_add(bytes, Ordering::Relaxed);
        central.touched += (first..first + count).filter(|it| self.region.kind(*it) == kind::FREE).count();
        Some(first)
    }

    /// Gives memory back to the system if more is touched than may be used; those blocks that were just taken
    /// are no longer free.
    fn trim(&self, central: &mut Central) {
        let max_touched = self.limits.bytes / BLOCK + RESERVE;
        if central.touched > max_touched && central.touched > self.used.load(Ordering::Relaxed) {
            // Some more, so that it is not done again for the next block.
            trim::release_free_blocks(&self.region, central, max_touched - max_touched / 16);
        }
    }

    /// The next run of free blocks after the cursor, around the end.
    fn search(&self, central: &mut Central, count: u32) -> Option<u32> {
        let top = self.region.top();
        let start = central.cursor.min(top);
        for (from, to) in [(start, top), (0, start.saturating_add(count - 1).min(top))] {
            let mut run = 0;
            for block in from..to {
                run = if self.region.is_free(block) { run + 1 } else { 0 };
                if run == count {
                    central.cursor = block + 1;
                    return Some(block + 1 - count);
                }
            }
        }
        None
    }

    /// Gives a cache a block with free cells, or free cells in a gap.
    fn refill(&self, cache: &mut Cache, class: usize, ceiling: Ceiling) -> bool {
        let mut central = self.central();
        // The last block may exceed the limit by its cells that are not in use yet.
        if self.charged() + CLASS_SIZES[class] as usize > ceiling.bytes {
            return false;
        }
        let within_limit = Ceiling { blocks: ceiling.blocks.min(self.limits.bytes / BLOCK), ..ceiling };
        let block = self
            .take_partial(&mut central, class)
            .or_else(|| self.take_small(&mut central, class, within_limit));
        if block.is_none()
            && let Some(row) = self.take_gap(&mut central, class)
        {
            cache.rows[class] = row;
            return true;
        }
        let Some(block) = block.or_else(|| self.take_small(&mut central, class, ceiling)) else {
            return false;
        };
        cache.blocks[class] = block;
        cache.cursors[class] = 0;
        true
    }

    fn take_partial(&self, central: &mut Central, class: usize) -> Option<u32> {
        let block = central.partial[class];
        if block == NONE {
            return None;
        }
        // SAFETY: blocks in the list are small and nobody else's.
        let meta = unsafe { &*self.region.meta(block) };
        central.partial[class] = meta.next;
        self.charged.fetch_add(BLOCK - (meta.extent * meta.cell) as usize, Ordering::Relaxed);
        Some(block)
    }

    /// Makes a row of a gap in a mixed block.
    fn take_gap(&self, central: &mut Central, class: usize) -> Option<Row> {
        let size = CLASS_SIZES[class] as usize;
        let gap = mixed_blocks::take(&self.region, central, size, (MAX_ROW / size).max(1))?;
        self.charged.fetch_add(gap.end - gap.start, Ordering::Relaxed);
        // SAFETY: memory that is this thread's now.
        unsafe { (gap.start as *mut u8).write_bytes(0, gap.end - gap.start) };
        Some(Row { next: gap.start, end: gap.end })
    }

    fn take_small(&self, central: &mut Central, class: usize, ceiling: Ceiling) -> Option<u32> {
        let block = self.take_blocks(central, 1, ceiling)?;
        self.region.make_small(block, class);
        self.trim(central);
        Some(block)
    }

    /// Makes a row of the next free cells of the thread's own block; false if there is none.
    fn row(&self, cache: &mut Cache, class: usize) -> bool {
        let block = cache.blocks[class];
        if block == NONE {
            return false;
        }
        // SAFETY: the block is this thread's.
        let meta = unsafe { &mut *self.region.meta(block) };
        let is_free = |allocated: &[u64], at: u32| allocated[(at / 64) as usize] & (1 << (at % 64)) == 0;
        let mut first = cache.cursors[class];
        while first < meta.cells && !is_free(&meta.allocated, first) {
            let word = meta.allocated[(first / 64) as usize] >> (first % 64);
            // The next free cell of the word, or the next word.
            first += word.trailing_ones().min(64 - first % 64);
        }
        if first >= meta.cells {
            cache.blocks[class] = NONE;
            return false;
        }
        let most = first.saturating_add((MAX_ROW as u32 / meta.cell).max(1)).min(meta.cells);
        let mut end = first;
        while end < most && is_free(&meta.allocated, end) {
            meta.allocated[(end / 64) as usize] |= 1 << (end % 64);
            end += 1;
        }
        cache.cursors[class] = end;
        let address = |cell: u32| self.region.address(block) + (cell * meta.cell) as usize;
        let row = Row { next: address(first), end: address(end) };
        if !meta.clean {
            sanitizer::unpoison(row.next, row.end - row.next);
            // SAFETY: free cells of this thread's block.
            unsafe { (row.next as *mut u8).write_bytes(0, row.end - row.next) };
            sanitizer::poison(row.next, row.end - row.next);
        }
        cache.rows[class] = row;
        true
    }

    /// Zeroed memory for an object, or `None` when the heap is full. What the maker of a large one sets
    /// anyway needs not be zero.
    fn memory(&self, cache: &mut Cache, bytes: usize, zeroed: bool, ceiling: Ceiling) -> Option<*mut u8> {
        if bytes <= MAX_SMALL_SIZE {
            let class = class_of(bytes);
            let size = CLASS_SIZES[class] as usize;
            loop {
                let row = &mut cache.rows[class];
                if row.next < row.end {
                    let cell = row.next as *mut u8;
                    row.next += size;
                    sanitizer::unpoison(cell as usize, size);
                    sanitizer::allocated(cell as usize, bytes, size);
                    return Some(cell);
                }
                if !self.row(cache, class) && !self.refill(cache, class, ceiling) {
                    return None;
                }
            }
        }
        let count = u32::try_from((LARGE_PADDING + bytes).div_ceil(BLOCK)).ok()?;
        let first = {
            let mut central = self.central();
            let first = self.take_blocks(&mut central, count, ceiling)?;
            let made = (first, self.region.make_large(first, count));
            self.trim(&mut central);
            made
        };
        let (first, clean) = first;
        let (start, room) = (self.region.address(first), count as usize * BLOCK);
        sanitizer::unpoison(start, room);
        request_huge_pages(start, room);
        if !clean && zeroed {
            // SAFETY: the blocks are this thread's.
            unsafe { zero(start as *mut u8, room) };
        }
        let address = self.region.large(first);
        sanitizer::allocated(address, bytes, room - LARGE_PADDING);
        Some(address as *mut u8)
    }
}

/// A new small instance from the thread's row of free cells, zero but for header and length; `None` if there
/// is no row. One function without calls: the thread is the same all over it.
#[inline]
fn quick_instance(ty: &'static Type, length: i64, bytes: usize) -> Option<Ref> {
    if bytes > MAX_SMALL_SIZE || sanitizer::is_present() {
        return None;
    }
    let class = class_of(bytes);
    mutators::if_registered(|own| {
        // SAFETY: this thread's cache, in a critical section.
        let row = unsafe { &mut (*own.cache.0.get()).rows[class] };
        if row.next >= row.end {
            return None;
        }
        let object = row.next as *mut Object;
        row.next += CLASS_SIZES[class] as usize;
        // SAFETY: a free cell.
        unsafe { prepare(object, ty, length) };
        Some(Ref(object))
    })
}

/// Writes header and length.
///
/// # Safety
/// New memory of at least the instance's size.
unsafe fn prepare(object: *mut Object, ty: &'static Type, length: i64) {
    // SAFETY: the caller gives new memory of at least the instance's size.
    unsafe {
        (*object).ty = ty;
        if ty.is_counted() {
            (*object.cast::<Counted>()).length = length;
        }
    }
}

/// A new instance, zero but for header and length (strings: whatever it may be), if no more than `ceiling` is
/// then used.
fn try_instance(ty: &'static Type, length: i64, bytes: usize, ceiling: Ceiling) -> Option<Ref> {
    try_memory(ty, length, bytes, ceiling, ty.kind != Kind::String as u32)
}

/// The same, perhaps with elements that mean nothing.
fn try_memory(ty: &'static Type, length: i64, bytes: usize, ceiling: Ceiling, zeroed: bool) -> Option<Ref> {
    let _critical = mutators::critical();
    // SAFETY: this thread's cache, in a critical section.
    let cache = unsafe { &mut *mutators::current().cache.0.get() };
    let object = heap().memory(cache, bytes, zeroed, ceiling)?.cast::<Object>();
    // SAFETY: new memory of at least that size.
    unsafe { prepare(object, ty, length) };
    Some(Ref(object))
}

/// A new instance, zero but for header and length; `None` if there is no room even after a collection.
fn instance(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?.max(16);
    quick_instance(ty, length, bytes).or_else(|| slow_instance(ty, length, bytes))
}

#[cold]
fn slow_instance(ty: &'static Type, length: i64, bytes: usize) -> Option<Ref> {
    let heap = heap();
    let full = heap.limits.ceiling(0);
    if let Some(object) = try_instance(ty, length, bytes, heap.planned()) {
        return Some(object);
    }
    if bytes > full.bytes {
        return None;
    }
    // Others may have found the same at the same time: one collection is enough for all.
    collect::collect_if_needed_after(collect::statistics().collections, bytes.div_ceil(BLOCK));
    if let Some(object) = try_instance(ty, length, bytes, full) {
        return Some(object);
    }
    // Other threads use what a collection frees before this one runs again: it gets its memory while they are
    // stopped.
    let collect_and_try = || collect::collect_until(|| try_instance(ty, length, bytes, full));
    if !heap.is_nearly_full()
        && let Some(object) = collect_and_try()
    {
        return Some(object);
    }
    if hooks::pressure().is_some_and(|pressure| !pressure.may_wait()) {
        // A thread that reads messages must not wait for other places.
        return try_instance(ty, length, bytes, heap.limits.ceiling(HANDLER_RESERVE));
    }
    // Objects that only other places refer to may become free.
    hooks::remote_collections().find_map(|()| collect_and_try())
}

/// Whether a body that makes only a few small objects finds room for them without waiting for other places.
/// Its thread reads messages, so that no other one has what is kept back for it.
pub fn has_room_at_once() -> bool {
    let heap = heap();
    heap.charged() <= heap.limits.bytes && !heap.is_nearly_full()
}

/// A copy found no room while it kept the collector away: makes some, if that can be. Whether half of the
/// heap is free then.
pub fn make_room() -> bool {
    let collect_enough = || {
        collect::collect();
        !heap().is_half_full()
    };
    collect_enough() || hooks::remote_collections().any(|()| collect_enough())
}

/// A new object with zero fields; `None` if the heap is full.
pub fn allocate(ty: &'static Type) -> Option<Ref> {
    instance(ty, 0)
}

/// A new rail or string with zero elements; `None` if the heap is full.
pub fn allocate_counted(ty: &'static Type, length: i64) -> Option<Ref> {
    instance(ty, length)
}

/// A new rail or string whose elements hold no references and are written at once; `None` if that would need
/// a collection.
pub fn allocate_unwritten(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?.max(16);
    heap().received_blocks.fetch_add(bytes / BLOCK, Ordering::Relaxed);
    try_memory(ty, length, bytes, heap().limits.ceiling(0), false)
}

/// A new rail whose elements hold no references and mean nothing yet; `None` if that saves nothing (small
/// ones are made of memory that is zero already) or would need a collection.
pub fn allocate_set_later(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?;
    if bytes <= MAX_SMALL_SIZE || length < 0 || crate::heap::mark::marker::elements_have_references(ty) {
        return None;
    }
    try_memory(ty, length, bytes, heap().planned(), false)
}

/// A new rail or string whose elements hold no references and are written at once; `None` if the heap is
/// full.
pub fn allocate_for_copy(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?.max(16);
    let planned = heap().planned();
    let unwritten = if bytes > MAX_SMALL_SIZE { try_memory(ty, length, bytes, planned, false) } else { None };
    unwritten.or_else(|| instance(ty, length))
}

/// Makes a string longer, if there is room behind it; the caller, who alone has the string, sets the new
/// bytes at once.
pub fn grow_string(string: Ref, length: usize) -> bool {
    let region = &heap().region;
    // No collection changes what the block is meanwhile.
    let _critical = mutators::critical();
    let Some((start, block, _)) = region.find(string.address()) else { return false };
    // SAFETY: the block holds an object that the caller has.
    let meta = unsafe { &*region.meta(block) };
    let room = match region.kind(block) {
        kind::SMALL => meta.cell as usize,
        kind::MIXED => 0,
        _ => meta.extent as usize * BLOCK - LARGE_PADDING,
    };
    // The sanitizer knows of no such room.
    let fits = start == string.address() && ARRAY_HEADER + length <= room && i32::try_from(length).is_ok();
    if fits && !sanitizer::is_present() {
        set_length(string, length);
        return true;
    }
    false
}

/// Makes a string shorter that the caller alone has.
pub fn shorten_string(string: Ref, length: usize) {
    set_length(string, length);
}

fn set_length(string: Ref, length: usize) {
    // SAFETY: a string's header.
    unsafe { (*string.0.cast::<Counted>()).length = length as i64 };
}

/// As [`allocate_counted`], from what is kept back for exceptions when the heap is full.
pub(crate) fn allocate_in_emergency(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?.max(16);
    try_instance(ty, length, bytes, heap().limits.ceiling(RESERVE))
}

/// Bytes of objects and of the blocks from which threads allocate.
pub fn bytes_in_use() -> usize {
    heap().charged()
}

/// Marks a swept block as free; all threads are stopped.
pub fn release(region: &Region, central: &mut Central, block: u32) {
    region.set_kind(block, kind::FREE_DIRTY);
    sanitizer::poison(region.address(block), BLOCK);
    central.free += 1;
}
