//! Allocation: a thread takes cells from blocks of its own, without a lock (thread-local caches over
//! segregated size classes).

use std::sync::atomic::Ordering;

use crate::base::sanitizer;
use crate::heap::alloc::blocks::{
    BLOCK, CLASS_SIZES, LARGE_PADDING, MAX_SMALL_SIZE, NONE, class_of, kind, request_huge_pages, zero,
};
use crate::heap::alloc::cache::{Cache, MAX_ROW, Row};
use crate::heap::alloc::free_lists::FreeLists;
use crate::heap::alloc::limits::{Ceiling, HANDLER_RESERVE, RESERVE};
use crate::heap::alloc::mixed_blocks;
use crate::heap::alloc::state::{Heap, heap};
use crate::heap::hooks;
use crate::heap::mark::collect;
use crate::heap::safepoint::{mutators, stacks};
use crate::layout::{ARRAY_HEADER, Ref};
use crate::layout::{Counted, Kind, Object, Type};

impl Heap {
    /// Gives a cache a block with free cells, or free cells in a gap.
    fn refill(&self, cache: &mut Cache, class: usize, ceiling: Ceiling) -> bool {
        let mut free_lists = self.free_lists();
        // The last block may exceed the limit by its cells that are not in use yet.
        if self.charged() + CLASS_SIZES[class] as usize > ceiling.bytes {
            return false;
        }
        let within_limit = Ceiling { blocks: ceiling.blocks.min(self.limits.bytes / BLOCK), ..ceiling };
        let block = self
            .take_partial(&mut free_lists, class)
            .or_else(|| self.take_small(&mut free_lists, class, within_limit));
        if block.is_none()
            && let Some(row) = self.take_gap(&mut free_lists, class)
        {
            cache.rows[class] = row;
            return true;
        }
        let Some(block) = block.or_else(|| self.take_small(&mut free_lists, class, ceiling)) else {
            return false;
        };
        cache.blocks[class] = block;
        cache.cursors[class] = 0;
        true
    }

    fn take_partial(&self, free_lists: &mut FreeLists, class: usize) -> Option<u32> {
        let block = free_lists.partial[class];
        if block == NONE {
            return None;
        }
        // SAFETY: blocks in the list are small and nobody else's.
        let meta = unsafe { &*self.region.meta(block) };
        free_lists.partial[class] = meta.next;
        self.charged.fetch_add(BLOCK - (meta.extent * meta.cell) as usize, Ordering::Relaxed);
        Some(block)
    }

    /// Makes a row of a gap in a mixed block.
    fn take_gap(&self, free_lists: &mut FreeLists, class: usize) -> Option<Row> {
        let size = CLASS_SIZES[class] as usize;
        let gap = mixed_blocks::take(&self.region, free_lists, size, (MAX_ROW / size).max(1))?;
        self.charged.fetch_add(gap.end - gap.start, Ordering::Relaxed);
        // SAFETY: memory that is this thread's now.
        unsafe { (gap.start as *mut u8).write_bytes(0, gap.end - gap.start) };
        Some(Row { next: gap.start, end: gap.end })
    }

    fn take_small(&self, free_lists: &mut FreeLists, class: usize, ceiling: Ceiling) -> Option<u32> {
        let block = self.take_blocks(free_lists, 1, ceiling)?;
        self.region.make_small(block, class);
        self.trim(free_lists);
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
            let mut free_lists = self.free_lists();
            let first = self.take_blocks(&mut free_lists, count, ceiling)?;
            let made = (first, self.region.make_large(first, count));
            self.trim(&mut free_lists);
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
    // Frames of the collection would show what ended calls have left where they lie.
    stacks::forget_ended_calls();
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

/// Whether more than half of the heap is used, so that it matters what stacks keep alive.
pub(crate) fn is_memory_short() -> bool {
    heap().is_half_full()
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
