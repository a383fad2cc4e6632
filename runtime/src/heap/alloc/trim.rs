//! Trimming: free memory goes back to the system when the heap has touched more than its limit.

use crate::heap::alloc::blocks::{BLOCK, Region, kind};
use crate::heap::alloc::free_lists::FreeLists;

/// The unit in which the system gives memory.
const PAGE: usize = 4096;
/// Maximum number of blocks that are released in one call.
const MAX_BLOCKS_PER_CALL: u32 = 256;

/// Gives free blocks back until no more than `most` are touched, or all that can be; the caller holds the
/// heap's lock.
pub(crate) fn release_free_blocks(region: &Region, free_lists: &mut FreeLists, most: usize) {
    let mut block = 0;
    while block < free_lists.high && free_lists.touched > most {
        if region.kind(block) != kind::FREE_DIRTY {
            block += 1;
            continue;
        }
        let end = (block..free_lists.high.min(block + MAX_BLOCKS_PER_CALL))
            .find(|at| region.kind(*at) != kind::FREE_DIRTY)
            .unwrap_or(free_lists.high.min(block + MAX_BLOCKS_PER_CALL));
        if release_pages(region.address(block), (end - block) as usize * BLOCK) {
            (block..end).for_each(|at| region.set_kind(at, kind::FREE));
            free_lists.touched -= (end - block) as usize;
        }
        block = end;
    }
}

/// Gives the whole pages back of memory that is free.
pub(crate) fn release_between(start: usize, end: usize) {
    let (first, end) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if first < end {
        release_pages(first, end - first);
    }
}

/// Gives whole pages back, which are zero when they are used again; false if they must stay or the system
/// does not take them.
fn release_pages(at: usize, bytes: usize) -> bool {
    // Pages that a device has pinned must stay: it would continue with the old ones.
    if crate::heap::hooks::is_pinned(at, bytes) {
        return false;
    }
    crate::heap::page_watch::release(at, bytes);
    // SAFETY: pages of the heap that hold no object.
    unsafe { libc::madvise(at as *mut libc::c_void, bytes, libc::MADV_DONTNEED) == 0 }
}
