//! Mixed blocks: blocks with objects of several sizes, for allocation in the gaps between live objects when
//! the heap is nearly full.
//!
//! Objects do not move, so a few objects of one size class occupy whole blocks that no other size class can
//! use (fragmentation). When most blocks of the heap's limit are in use, blocks with few objects become
//! *mixed*: any small object may be allocated in their gaps, as in a mark-region heap (Blackburn and
//! McKinley, "Immix", PLDI 2008). A bitmap has one bit per granule, which is set if an object begins there;
//! the object's descriptor gives its size. Threads share mixed blocks: each takes part of a gap at a time.
//! Between two collections the gaps of a block are visited once.

use std::ops::Range;

use crate::heap::alloc::blocks::{
    BLOCK, BUCKETS, CLASSES, GRANULE, GRANULES, Meta, NONE, Region, kind, size_at,
};
use crate::heap::alloc::free_lists::{FreeLists, release};

/// A block becomes mixed if its objects take at most this fraction of it.
const SPARSE_FRACTION: usize = 4;

/// The next gap of at least `granules` granules at or after `from`; no object may extend across `from`.
fn next_gap(region: &Region, block: u32, meta: &Meta, from: u32, granules: u32) -> Option<Range<u32>> {
    let mut at = from;
    loop {
        let end = next_start(meta, at);
        if end.saturating_sub(at) >= granules {
            return Some(at..end);
        }
        if end >= GRANULES {
            return None;
        }
        let size = size_at(region.address(block) + end as usize * GRANULE);
        at = end + (size / GRANULE).max(1) as u32;
    }
}

/// The first granule at or after `from` at which an object begins; the end of the block if there is none.
fn next_start(meta: &Meta, from: u32) -> u32 {
    let mut word = (from / 64) as usize;
    if word >= meta.allocated.len() {
        return GRANULES;
    }
    let mut starts = meta.allocated[word] & (u64::MAX << (from % 64));
    while starts == 0 {
        word += 1;
        if word == meta.allocated.len() {
            return GRANULES;
        }
        starts = meta.allocated[word];
    }
    word as u32 * 64 + starts.trailing_zeros()
}

/// Calls `visit` with every gap at or after the granule `from`.
fn each_gap(region: &Region, block: u32, meta: &Meta, mut from: u32, mut visit: impl FnMut(Range<u32>)) {
    while let Some(gap) = next_gap(region, block, meta, from, 1) {
        from = gap.end;
        visit(gap);
    }
}

/// Puts a block into the list of its longest gap at or after the granule `from`, if there is one. Returns the
/// number of granules of these gaps. The caller holds the heap's lock, or all threads are stopped.
fn enlist(region: &Region, free_lists: &mut FreeLists, block: u32, from: u32) -> u32 {
    // SAFETY: the block is in no list and mixed.
    let meta = unsafe { &mut *region.meta(block) };
    let (mut free, mut longest) = (0, 0);
    each_gap(region, block, meta, from, |gap| {
        free += gap.end - gap.start;
        longest = longest.max(gap.end - gap.start);
    });
    meta.extent = longest;
    meta.cursor = from;
    if longest > 0 {
        let list = &mut free_lists.mixed[longest.ilog2() as usize];
        meta.next = *list;
        *list = block;
    }
    free
}

/// Calls [`enlist`] for the whole block. Returns the total size of the block's objects.
fn enlist_whole(region: &Region, free_lists: &mut FreeLists, block: u32) -> usize {
    BLOCK - enlist(region, free_lists, block, 0) as usize * GRANULE
}

/// Sweeps a mixed block: frees the objects that were not marked. Returns the total size of the others; the
/// block is released if there are none. All threads are stopped.
pub(crate) fn sweep(region: &Region, free_lists: &mut FreeLists, block: u32) -> usize {
    // SAFETY: all threads are stopped.
    let meta = unsafe { &mut *region.meta(block) };
    let mut any = 0;
    for (allocated, marks) in meta.allocated.iter_mut().zip(&mut meta.marks) {
        *allocated = std::mem::take(marks);
        any |= *allocated;
    }
    if any == 0 {
        release(region, free_lists, block);
        return 0;
    }
    enlist_whole(region, free_lists, block)
}

/// Converts blocks with few objects to mixed blocks; all threads are stopped and the heap is swept. Returns
/// the number of bytes saved: the size of the cells minus the size of the objects in them.
pub(crate) fn convert_sparse(region: &Region, free_lists: &mut FreeLists) -> usize {
    let mut saved = 0;
    for class in 0..CLASSES {
        let mut block = std::mem::replace(&mut free_lists.partial[class], NONE);
        while block != NONE {
            // SAFETY: all threads are stopped, and blocks in the lists are small.
            let meta = unsafe { &mut *region.meta(block) };
            let next = meta.next;
            let bytes = (meta.extent * meta.cell) as usize;
            if bytes <= BLOCK / SPARSE_FRACTION {
                convert(region, block, meta);
                saved += bytes - enlist_whole(region, free_lists, block);
            } else {
                meta.next = free_lists.partial[class];
                free_lists.partial[class] = block;
            }
            block = next;
        }
    }
    saved
}

/// Converts a block of one size class to a mixed block.
fn convert(region: &Region, block: u32, meta: &mut Meta) {
    let mut starts = [0; 64];
    for cell in 0..meta.cells as usize {
        let start = cell * meta.cell as usize;
        // A cell that is allocated but holds no object becomes part of a gap.
        if meta.allocated[cell / 64] & (1 << (cell % 64)) != 0 && size_at(region.address(block) + start) > 0 {
            starts[start / GRANULE / 64] |= 1 << (start / GRANULE % 64);
        }
    }
    meta.allocated = starts;
    meta.cell = GRANULE as u32;
    meta.cells = GRANULES;
    region.set_kind(block, kind::MIXED);
}

/// Allocates consecutive room for at most `most` objects of this size; the caller holds the heap's lock.
pub(crate) fn take(
    region: &Region,
    free_lists: &mut FreeLists,
    size: usize,
    most: usize,
) -> Option<Range<usize>> {
    let granules = (size / GRANULE) as u32;
    // A gap of at least `granules` granules can only be in these lists.
    for bucket in granules.ilog2() as usize..BUCKETS {
        let (mut before, mut block) = (NONE, free_lists.mixed[bucket]);
        while block != NONE {
            // SAFETY: blocks in the lists are changed under the lock only.
            let meta = unsafe { &mut *region.meta(block) };
            let next = meta.next;
            if meta.extent < granules {
                before = block;
            } else if let Some(gap) = next_gap(region, block, meta, meta.cursor, granules) {
                return Some(take_part(region, block, meta, gap, granules, most));
            } else {
                // Its longest gap is used up: the block moves to the list of its longest remaining gap.
                match before {
                    NONE => free_lists.mixed[bucket] = next,
                    // SAFETY: a block of the same list, under the lock; not the block of `meta`.
                    _ => unsafe { (*region.meta(before)).next = next },
                }
                let from = meta.cursor;
                enlist(region, free_lists, block, from);
            }
            block = next;
        }
    }
    None
}

/// Allocates objects at the start of a gap.
fn take_part(
    region: &Region,
    block: u32,
    meta: &mut Meta,
    gap: Range<u32>,
    granules: u32,
    most: usize,
) -> Range<usize> {
    let count = ((gap.end - gap.start) / granules).min(most as u32);
    for start in (0..count).map(|index| gap.start + index * granules) {
        meta.allocated[(start / 64) as usize] |= 1 << (start % 64);
    }
    meta.cursor = gap.start + count * granules;
    let address = |granule: u32| region.address(block) + granule as usize * GRANULE;
    address(gap.start)..address(meta.cursor)
}

/// Returns the free pages of mixed blocks to the system; all threads are stopped.
pub(crate) fn release_pages(region: &Region, free_lists: &FreeLists) {
    for first in free_lists.mixed {
        let mut block = first;
        while block != NONE {
            // SAFETY: all threads are stopped.
            let meta = unsafe { &*region.meta(block) };
            each_gap(region, block, meta, 0, |gap| {
                let start = region.address(block);
                crate::heap::alloc::trim::release_between(
                    start + gap.start as usize * GRANULE,
                    start + gap.end as usize * GRANULE,
                );
            });
            block = meta.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::alloc::blocks::class_of;
    use crate::heap::tests::node;

    /// A region with one swept block of small cells, of which these hold nodes.
    fn sparse(bytes: usize, cells: &[usize]) -> (Region, FreeLists) {
        let region = Region::new(4 * BLOCK).expect("addresses");
        let mut free_lists = FreeLists::new();
        region.set_top(1);
        region.make_small(0, class_of(bytes));
        // SAFETY: the block is the test's own.
        let meta = unsafe { &mut *region.meta(0) };
        for cell in cells {
            meta.allocated[cell / 64] |= 1 << (cell % 64);
            let object = (region.address(0) + cell * bytes) as *mut crate::layout::Object;
            // SAFETY: a cell of the test's region.
            unsafe { (*object).ty = node() };
        }
        meta.extent = cells.len() as u32;
        free_lists.partial[class_of(bytes)] = 0;
        (region, free_lists)
    }

    const NODE: usize = 32;

    #[test]
    fn gaps_between_live_objects_take_objects_of_other_sizes() {
        let alive = [0, 7, 8, 500, 1023];
        let (region, mut free_lists) = sparse(64, &alive);
        assert_eq!(convert_sparse(&region, &mut free_lists), alive.len() * (64 - NODE));
        let mut taken: Vec<Range<usize>> =
            alive.iter().map(|cell| region.address(0) + cell * 64).map(|at| at..at + NODE).collect();
        for size in [16384, 4096, 48, 16, 9600] {
            while let Some(part) = take(&region, &mut free_lists, size, 3) {
                assert!(!part.is_empty() && part.len().is_multiple_of(size) && part.len() <= 3 * size);
                taken.push(part);
            }
        }
        taken.sort_by_key(|range| range.start);
        assert!(taken.windows(2).all(|pair| pair[0].end <= pair[1].start), "{taken:?}");
        assert!(taken.iter().all(|it| it.start >= region.address(0) && it.end <= region.address(1)));
        assert_eq!(take(&region, &mut free_lists, 16, 1), None, "all gaps were gone through");
    }

    #[test]
    fn interior_address_finds_its_object() {
        let (region, mut free_lists) = sparse(64, &[3, 900]);
        convert_sparse(&region, &mut free_lists);
        let start = region.address(0) + 3 * 64;
        assert_eq!(region.find(start).map(|found| found.0), Some(start));
        assert_eq!(region.find(start + NODE - 1).map(|found| found.0), Some(start));
        assert_eq!(region.find(start + NODE), None);
        assert_eq!(region.find(start - 1), None);
        // Allocated, but not initialised yet.
        let part = take(&region, &mut free_lists, 128, 1).expect("a gap");
        assert_eq!(region.find(part.start), None);
    }

    #[test]
    fn unmarked_objects_are_freed() {
        let (region, mut free_lists) = sparse(64, &[3, 900]);
        convert_sparse(&region, &mut free_lists);
        // SAFETY: the block is the test's own.
        unsafe { (*region.meta(0)).marks[900 * 4 / 64] |= 1 << (900 * 4 % 64) };
        free_lists.mixed = [NONE; BUCKETS];
        assert_eq!(sweep(&region, &mut free_lists, 0), NODE);
        let part = take(&region, &mut free_lists, 32768, 1).expect("the gap before what is alive");
        assert_eq!(part.start, region.address(0));
        free_lists.mixed = [NONE; BUCKETS];
        assert_eq!(sweep(&region, &mut free_lists, 0), 0);
        assert!(region.is_free(0));
    }
}
