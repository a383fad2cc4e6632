//! What `malloc` gives a program whose regions run on a GPU: managed memory, by Doug Lea's allocator, in
//! pieces that grow with what is requested. Never more than a part of the device's memory is taken, after
//! which the C library gives the memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use dlmalloc::{Allocator, Dlmalloc};
use parking_lot::Mutex;

use crate::device::Device;

/// The least that is asked of the driver.
const PIECE: usize = 32 << 20;

/// The part of the free memory of the device that the heap may take, in percent.
const PART: u64 = 80;

/// Allocations of at least this size are moved as a whole.
const LARGE: usize = 64 << 10;

/// Pages of an allocation that are examined.
const SAMPLES: usize = 8;

const PAGE: usize = 4096;

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
        PAGE
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
            State { heap, allocations: BTreeMap::new(), pieces }
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
        let (start, found) = state.as_mut()?.allocations.range_mut(..=address).next_back()?;
        let range = *start..start + found.bytes;
        let is_wanted = found.bytes >= LARGE && range.contains(&address);
        if !is_wanted || found.is_moved && !is_at_host(&range) {
            return None;
        }
        found.is_moved = true;
        Some(range)
    }
}

/// Whether the host has some of the pages of a range, by a sample of them (Linux, pagemap). To move memory
/// that is at the device takes the driver longer than to look.
fn is_at_host(range: &Range<usize>) -> bool {
    use std::os::unix::fs::FileExt;
    static PAGES: OnceLock<Option<File>> = OnceLock::new();
    let Some(pages) = PAGES.get_or_init(|| File::open("/proc/self/pagemap").ok()) else { return true };
    let is_present = |address: usize| {
        let mut entry = [0; 8];
        let read = pages.read_exact_at(&mut entry, (address / PAGE * 8) as u64);
        read.is_err() || u64::from_ne_bytes(entry) >> 63 == 1
    };
    let last = range.end - 1;
    (0..SAMPLES)
        .map(|it| range.start + (last - range.start) / (SAMPLES - 1) * it)
        .chain([last])
        .any(is_present)
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
        assert!(!is_at_host(&range));
        // SAFETY: inside of the mapping.
        unsafe { memory.cast::<u8>().add(bytes - 1).write(1) };
        assert!(is_at_host(&range));
        // SAFETY: the mapping.
        unsafe { libc::munmap(memory, bytes) };
    }
}
