//! Allocation.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::blocks::{
    BLOCK, CLASS_SIZES, CLASSES, LARGEST_SMALL, LEAD, NONE, Region, class_of, kind, large_pages, zero,
};
use super::object::{ARRAY_HEADER, Ref};
use super::{collect, others, threads};
use crate::layout::{Counted, Kind, Object, Type};
use crate::sanitizer;

/// The heap of this process.
pub struct Heap {
    /// Its memory.
    pub region: Region,
    /// What is free.
    central: Mutex<Central>,
    /// Blocks in use.
    pub used: AtomicUsize,
    /// Collect when so many blocks are in use.
    pub threshold: AtomicUsize,
    /// Never use more blocks than that, but for exceptions.
    limit: usize,
    /// Blocks in use after the last collection.
    kept: AtomicUsize,
    /// Collections in a row that have left next to nothing free.
    futile: AtomicUsize,
    /// Blocks for what messages have brought since the last collection.
    brought: AtomicUsize,
}

/// Free blocks and cells.
pub struct Central {
    /// Where the search for free blocks goes on.
    pub cursor: u32,
    /// Free blocks below the top.
    pub free: u32,
    /// Blocks with free cells, by size class.
    pub partial: [u32; CLASSES],
}

/// Free cells in a row, zero and already noted as taken.
#[derive(Clone, Copy)]
struct Row {
    next: usize,
    end: usize,
}

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

// SAFETY: see above.
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

/// Blocks kept back so that an OutOfMemoryError can be made.
const RESERVE: usize = 64;
/// So many of them are for bodies that run where their message is read: each makes a few small objects, and must not wait for room.
const FOR_BODIES: usize = RESERVE / 2;
/// Fewest blocks between collections.
const LEAST_THRESHOLD: usize = 1024;

/// A sanitizer finds what the collector frees too early only if it collects: small programs, too.
const LEAST_WATCHED: usize = 8;

fn least_threshold() -> usize {
    if sanitizer::watches_addresses() { LEAST_WATCHED } else { LEAST_THRESHOLD }
}

static LIMIT: AtomicUsize = AtomicUsize::new(0);
static HEAP: OnceLock<Heap> = OnceLock::new();

/// Sets the most bytes the heap may use; 0 asks for three quarters of the machine's memory, shared by `places`
/// processes. Without effect once the heap is in use.
pub fn configure(limit: usize, places: usize) {
    let limit = if limit == 0 { default_limit() / places.max(1) } else { limit };
    LIMIT.store(limit, Ordering::Relaxed);
}

/// The heap, made on first use.
pub fn heap() -> &'static Heap {
    HEAP.get_or_init(|| {
        let limit = match LIMIT.load(Ordering::Relaxed) {
            0 => default_limit(),
            limit => limit.max(LEAST_THRESHOLD * BLOCK / 4),
        };
        let (region, limit) = reserve_region(limit);
        Heap {
            region,
            central: Mutex::new(Central { cursor: 0, free: 0, partial: [NONE; CLASSES] }),
            used: AtomicUsize::new(0),
            threshold: AtomicUsize::new(least_threshold().min(limit)),
            limit,
            kept: AtomicUsize::new(0),
            futile: AtomicUsize::new(0),
            brought: AtomicUsize::new(0),
        }
    })
}

/// Three quarters of the machine's memory.
fn default_limit() -> usize {
    of_machine() / 4 * 3
}

/// Of a limited address space, one part of so many is for the heap: the rest is for stacks, code and everything else.
const PARTS_OF_ADDRESS_SPACE: usize = 3;

/// Memory that this machine has for the process.
pub fn of_machine() -> usize {
    // SAFETY: asks the system for two numbers.
    let (pages, size) = unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    let physical = if pages > 0 && size > 0 { pages as usize * size as usize } else { 4 << 30 };
    let group =
        std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    physical.min(group.unwrap_or(usize::MAX)).min(crate::limits::address_space() / PARTS_OF_ADDRESS_SPACE)
}

/// Reserves addresses; less than asked for where the system limits them.
fn reserve_region(limit: usize) -> (Region, usize) {
    let mut limit = limit.div_ceil(BLOCK);
    loop {
        match Region::new((limit + RESERVE) * BLOCK) {
            Some(region) => return (region, limit),
            None if limit > 256 => limit /= 2,
            None => {
                remark!("apg: no address space for the heap (16 MiB were asked for; see `ulimit -v`)");
                std::process::exit(1);
            }
        }
    }
}

impl Heap {
    /// What is free. The lock is one of the standard library's, which needs nothing but itself: it is taken in critical sections.
    pub fn central(&self) -> MutexGuard<'_, Central> {
        self.central.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether more than half of what may be used is.
    pub fn is_half_full(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.limit / 2
    }

    /// Sets when to collect next, after a collection.
    pub fn plan(&self) {
        let used = self.used.load(Ordering::Relaxed);
        let next = (used * 2).max(used + least_threshold()).min(self.limit);
        self.threshold.store(next.max(used), Ordering::Relaxed);
        self.kept.store(used, Ordering::Relaxed);
        self.brought.store(0, Ordering::Relaxed);
        /// Of the heap, what is next to nothing.
        const PART: usize = 64;
        let futile = self.limit.saturating_sub(used) < self.limit / PART;
        self.futile
            .store(if futile { self.futile.load(Ordering::Relaxed) + 1 } else { 0 }, Ordering::Relaxed);
    }

    /// Whether the program would do little more than collect: it is told that the heap is full before the last bit is used.
    fn is_as_good_as_full(&self) -> bool {
        const MOST: usize = 8;
        self.futile.load(Ordering::Relaxed) >= MOST
    }

    /// Whether it is time to collect if so many blocks are needed. What messages bring lives shortly as a rule, and is written more quickly
    /// to memory that was just used.
    pub fn is_due(&self, blocks: usize) -> bool {
        /// Much more than these are not in a processor's fast memory.
        const MUCH: usize = 256;
        let brought = self.brought.load(Ordering::Relaxed);
        self.used.load(Ordering::Relaxed) + blocks > self.threshold.load(Ordering::Relaxed)
            || brought >= MUCH && brought > 4 * self.kept.load(Ordering::Relaxed)
    }

    /// A run of free blocks; `None` if more than `ceiling` would be in use.
    fn take_blocks(&self, central: &mut Central, count: u32, ceiling: usize) -> Option<u32> {
        if self.used.load(Ordering::Relaxed) + count as usize > ceiling {
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
                top
            }
        };
        self.used.fetch_add(count as usize, Ordering::Relaxed);
        Some(first)
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

    /// Gives a cache a block with free cells.
    fn refill(&self, cache: &mut Cache, class: usize, ceiling: usize) -> bool {
        let mut central = self.central();
        let mut block = central.partial[class];
        if block != NONE {
            // SAFETY: blocks in the list are small and nobody else's.
            central.partial[class] = unsafe { (*self.region.meta(block)).next };
        } else {
            match self.take_blocks(&mut central, 1, ceiling) {
                Some(free) => block = free,
                None => return false,
            }
            self.region.make_small(block, class);
        }
        cache.blocks[class] = block;
        cache.cursors[class] = 0;
        true
    }

    /// Makes a row of the next free cells of the thread's own block; false if there is none.
    fn row(&self, cache: &mut Cache, class: usize) -> bool {
        /// Most bytes of a row: as much as stays in the fastest memory until it is used.
        const MOST: u32 = 4096;
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
        let most = first.saturating_add((MOST / meta.cell).max(1)).min(meta.cells);
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

    /// Zeroed memory for an object, or `None` when the heap is full. What the maker of a large one sets anyway needs not be zero.
    fn memory(&self, cache: &mut Cache, bytes: usize, zeroed: bool, ceiling: usize) -> Option<*mut u8> {
        if bytes <= LARGEST_SMALL {
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
        let count = u32::try_from((LEAD + bytes).div_ceil(BLOCK)).ok()?;
        let first = {
            let mut central = self.central();
            let first = self.take_blocks(&mut central, count, ceiling)?;
            (first, self.region.make_large(first, count))
        };
        let (first, clean) = first;
        let (start, room) = (self.region.address(first), count as usize * BLOCK);
        sanitizer::unpoison(start, room);
        large_pages(start, room);
        if !clean && zeroed {
            // SAFETY: the blocks are this thread's.
            unsafe { zero(start as *mut u8, room) };
        }
        let address = self.region.large(first);
        sanitizer::allocated(address, bytes, room - LEAD);
        Some(address as *mut u8)
    }
}

/// A new small instance from the thread's row of free cells, zero but for header and length; `None` if there is no row. One function
/// without calls: the thread is the same all over it.
#[inline]
fn quick_instance(ty: &'static Type, length: i64, bytes: usize) -> Option<Ref> {
    if bytes > LARGEST_SMALL || sanitizer::is_present() {
        return None;
    }
    let class = class_of(bytes);
    threads::if_registered(|own| {
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
    // SAFETY: by the caller.
    unsafe {
        (*object).ty = ty;
        if ty.is_counted() {
            (*object.cast::<Counted>()).length = length;
        }
    }
}

/// A new instance, zero but for header and length (strings: whatever it may be), if no more than `ceiling` blocks are then in use.
fn try_instance(ty: &'static Type, length: i64, bytes: usize, ceiling: usize) -> Option<Ref> {
    try_memory(ty, length, bytes, ceiling, ty.kind != Kind::String as u32)
}

/// The same, perhaps with elements that mean nothing.
fn try_memory(ty: &'static Type, length: i64, bytes: usize, ceiling: usize, zeroed: bool) -> Option<Ref> {
    let _critical = threads::critical();
    // SAFETY: this thread's cache, in a critical section.
    let cache = unsafe { &mut *threads::current().cache.0.get() };
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
    let planned = heap.threshold.load(Ordering::Relaxed);
    if let Some(object) = try_instance(ty, length, bytes, planned) {
        return Some(object);
    }
    // Others may have found the same at the same time: one collection is enough for all.
    collect::collect_if_needed_after(collect::statistics().collections, bytes.div_ceil(BLOCK));
    if !heap.is_as_good_as_full() {
        if let Some(object) = try_instance(ty, length, bytes, heap.limit) {
            return Some(object);
        }
        collect::collect_after(collect::statistics().collections);
        if let Some(object) = try_instance(ty, length, bytes, heap.limit) {
            return Some(object);
        }
    }
    if crate::activity::attends() {
        // Whoever reads messages must not wait for other places.
        return try_instance(ty, length, bytes, heap.limit + FOR_BODIES);
    }
    // What other places still refer to may come free.
    others::wait_for_others().find_map(|()| {
        collect::collect();
        try_instance(ty, length, bytes, heap.limit)
    })
}

/// Whether a body that makes only a few small objects finds room for them without waiting for other places. Its thread reads messages, so
/// that no other one has what is kept back for it.
pub fn has_room_at_once() -> bool {
    let heap = heap();
    heap.used.load(Ordering::Relaxed) <= heap.limit && !heap.is_as_good_as_full()
}

/// A copy found no room while it kept the collector away: makes some, if that can be.
pub fn make_room() {
    collect::collect();
    let enough = || !heap().is_half_full();
    if !enough() {
        let _ = others::wait_for_others().find(|()| {
            collect::collect();
            enough()
        });
    }
}

/// A new object with zero fields; `None` if the heap is full.
pub fn allocate(ty: &'static Type) -> Option<Ref> {
    instance(ty, 0)
}

/// A new rail or string with zero elements; `None` if the heap is full.
pub fn allocate_counted(ty: &'static Type, length: i64) -> Option<Ref> {
    instance(ty, length)
}

/// A new rail or string whose elements hold no references and are written at once; `None` if that would need a collection.
pub fn allocate_unwritten(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?.max(16);
    heap().brought.fetch_add(bytes / BLOCK, Ordering::Relaxed);
    try_memory(ty, length, bytes, heap().limit, false)
}

/// A new rail whose elements hold no references and mean nothing yet; `None` if that saves nothing (small ones are made of memory that is
/// zero already) or would need a collection.
pub fn allocate_set_later(ty: &'static Type, length: i64) -> Option<Ref> {
    let bytes = ty.instance_size(length)?;
    if bytes <= LARGEST_SMALL || length < 0 || super::mark::elements_have_references(ty) {
        return None;
    }
    try_memory(ty, length, bytes, heap().threshold.load(Ordering::Relaxed), false)
}

/// Makes a string longer, if there is room behind it; the caller, who alone has the string, sets the new bytes at once.
pub fn grow_string(string: Ref, length: usize) -> bool {
    let region = &heap().region;
    let Some((start, block, _)) = region.find(string.address()) else { return false };
    // SAFETY: the block holds an object that the caller has.
    let meta = unsafe { &*region.meta(block) };
    let room = match region.kind(block) {
        kind::SMALL => meta.cell as usize,
        _ => meta.extent as usize * BLOCK - LEAD,
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
    try_instance(ty, length, bytes, heap().limit + RESERVE)
}

/// Bytes in use, in whole blocks.
pub fn bytes_in_use() -> usize {
    heap().used.load(Ordering::Relaxed) * BLOCK
}

/// Marks a swept block as free; all threads are stopped.
pub fn release(region: &Region, central: &mut Central, block: u32) {
    region.set_kind(block, kind::FREE_DIRTY);
    sanitizer::poison(region.address(block), BLOCK);
    central.free += 1;
}

/// The heap as copies of graphs see it.
#[derive(Clone, Copy, Debug)]
pub struct ProgramHeap;

impl crate::serialize::Heap for ProgramHeap {
    fn allocate(&self, ty: &'static Type, length: i64) -> Option<*mut Object> {
        instance(ty, length).map(|object| object.0)
    }

    fn allocate_unwritten(&self, ty: &'static Type, length: i64) -> Option<*mut Object> {
        let bytes = ty.instance_size(length)?.max(16);
        let planned = heap().threshold.load(Ordering::Relaxed);
        let unwritten =
            if bytes > LARGEST_SMALL { try_memory(ty, length, bytes, planned, false) } else { None };
        unwritten.or_else(|| instance(ty, length)).map(|object| object.0)
    }
}
