//! What `malloc` gives a program whose regions run on a GPU: managed memory, by Doug Lea's allocator, in
//! pieces that grow with what is requested. Never more than a part of the device's memory is taken, after
//! which the C library gives the memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use dlmalloc::{Allocator, Dlmalloc};
use parking_lot::Mutex;

use super::reach::page_size;
use crate::device::Device;

/// The least that is asked of the driver.
const PIECE: usize = 32 << 20;

/// The part of the free memory of the device that the heap may take, in percent.
const PART: u64 = 80;

/// Allocations of at least this size are moved as a whole.
const LARGE: usize = 64 << 10;

/// Pages of an allocation, beside its first and its last one, of which one is examined in front of each
/// region: each look is a call of the system.
const SAMPLES: usize = 8;

/// The alignment of `malloc`.
const ALIGNMENT: usize = 16;

/// The driver as a source of memory.
struct Source {
    device: Arc<Device>,
    /// Bytes that may still be requested, and the pieces.
    pieces: Arc<Mutex<Pieces>>,
}

struct Pieces {
    left: u64,
    ranges: Vec<Range<usize>>,
}

// SAFETY: it gives out memory of the driver of the size that it says, and keeps it.
unsafe impl Allocator for Source {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let none = (std::ptr::null_mut(), 0, 0);
        let mut pieces = self.pieces.lock();
        let Some(left) = pieces.left.checked_sub(size as u64) else { return none };
        let address = self.device.allocate_managed(size);
        if address.is_null() {
            return none;
        }
        pieces.left = left;
        pieces.ranges.push(address as usize..address as usize + size);
        (address, size, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        std::ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    /// Pieces stay: the allocator uses them again.
    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        page_size()
    }
}

struct Allocation {
    bytes: usize,
    alignment: usize,
    /// It has been moved to the device.
    is_moved: bool,
}

struct State {
    heap: Dlmalloc<Source>,
    /// The allocations, by address.
    allocations: BTreeMap<usize, Allocation>,
    pieces: Arc<Mutex<Pieces>>,
    /// Where the system tells which pages the host has (Linux, pagemap).
    pages: Option<File>,
    /// Counts looks at allocations.
    looks: usize,
}

/// The heap of a program.
#[derive(Default)]
pub(super) struct Heap(Mutex<Option<State>>);

impl Heap {
    /// Memory of an alignment, which is a power of two; null if there is none.
    pub(super) fn allocate(&self, device: &Arc<Device>, alignment: usize, bytes: usize) -> *mut c_void {
        let mut state = self.0.lock();
        let state = state.get_or_insert_with(|| {
            let left = device.free_bytes() / 100 * PART;
            let pieces = Arc::new(Mutex::new(Pieces { left, ranges: Vec::new() }));
            let source = Source { device: Arc::clone(device), pieces: Arc::clone(&pieces) };
            let mut heap = Dlmalloc::new_with_allocator(source);
            heap.set_granularity(PIECE);
            let pages = File::open("/proc/self/pagemap").ok();
            State { heap, allocations: BTreeMap::new(), pieces, pages, looks: 0 }
        });
        let (bytes, alignment) = (bytes.max(1), alignment.max(ALIGNMENT));
        // SAFETY: a size that is not zero, and an alignment that is a power of two.
        let address = unsafe { state.heap.malloc(bytes, alignment) };
        if !address.is_null() {
            let allocation = Allocation { bytes, alignment, is_moved: false };
            state.allocations.insert(address as usize, allocation);
        }
        address.cast()
    }

    /// Releases an allocation; false if it is none of this heap.
    pub(super) fn release(&self, address: usize) -> bool {
        let mut state = self.0.lock();
        let Some(state) = state.as_mut() else { return false };
        let Some(Allocation { bytes, alignment, .. }) = state.allocations.remove(&address) else {
            return false;
        };
        // SAFETY: an allocation of this heap, which was in the list.
        unsafe { state.heap.free(address as *mut u8, bytes, alignment) };
        true
    }

    /// The size of an allocation; 0 if it is none of this heap.
    pub(super) fn size(&self, address: usize) -> usize {
        let state = self.0.lock();
        state.as_ref().and_then(|it| it.allocations.get(&address)).map_or(0, |it| it.bytes)
    }

    /// Whether an address is in memory of this heap.
    pub(super) fn has(&self, address: usize) -> bool {
        let state = self.0.lock();
        let Some(state) = state.as_ref() else { return false };
        state.pieces.lock().ranges.iter().any(|it| it.contains(&address))
    }

    /// The allocation that contains an address, if it is so large that it is moved as a whole, and was not
    /// moved or the host has used it since.
    pub(super) fn large_at_host(&self, address: usize) -> Option<Range<usize>> {
        let mut state = self.0.lock();
        let State { allocations, pages, looks, .. } = state.as_mut()?;
        let (start, found) = allocations.range_mut(..=address).next_back()?;
        let range = *start..start + found.bytes;
        if found.bytes < LARGE || !range.contains(&address) {
            return None;
        }
        *looks += 1;
        if found.is_moved && !pages.as_ref().is_none_or(|it| is_at_host(it, &range, *looks)) {
            return None;
        }
        found.is_moved = true;
        Some(range)
    }
}

/// Whether the host has some of the pages of a range, by a sample of them that is another one with each
/// `look` (Linux, pagemap). To move memory that is at the device takes the driver longer than to look.
fn is_at_host(pages: &File, range: &Range<usize>, look: usize) -> bool {
    use std::os::unix::fs::FileExt;
    let page = page_size();
    let is_present = |address: usize| {
        let mut entry = [0; 8];
        let read = pages.read_exact_at(&mut entry, (address / page * 8) as u64);
        read.is_err() || u64::from_ne_bytes(entry) >> 63 == 1
    };
    let last = range.end - 1;
    let inner = range.start + (last - range.start) / (SAMPLES + 1) * (look % SAMPLES + 1);
    [range.start, last, inner].into_iter().any(is_present)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_were_written_are_at_the_host() {
        let bytes = 64 << 20;
        // SAFETY: makes a mapping.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        assert_ne!(memory, libc::MAP_FAILED);
        let range = memory as usize..memory as usize + bytes;
        let pages = File::open("/proc/self/pagemap").expect("Linux has it");
        assert!((0..SAMPLES).all(|look| !is_at_host(&pages, &range, look)));
        // SAFETY: inside of the mapping.
        unsafe { memory.cast::<u8>().add(bytes / (SAMPLES + 1) * 3).write(1) };
        let found = (0..SAMPLES).filter(|look| is_at_host(&pages, &range, *look)).count();
        assert_eq!(found, 1, "one look in {SAMPLES} is at that page");
        // SAFETY: inside of the mapping.
        unsafe { memory.cast::<u8>().add(bytes - 1).write(1) };
        assert!(is_at_host(&pages, &range, 0));
        // SAFETY: the mapping.
        unsafe { libc::munmap(memory, bytes) };
    }
}
