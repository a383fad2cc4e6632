//! The stacks of fibers: address space of which memory is taken as it is used, with a part below that cannot
//! be touched. A stack begins at a multiple of its size, so that generated code sees from its stack pointer
//! how much is left.
//!
//! Stacks are made in rows. Where the system can guard a part of a mapping without dividing it (Linux 6.13),
//! a row is one mapping, and mappings beside each other become one: then memory is all that limits how many
//! there are.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use corosensei::stack::{Stack, StackPointer};
use parking_lot::Mutex;

use crate::base::limits;
use crate::heap;

/// Address space of a stack.
pub const STACK_BYTES: usize = 8 << 20;
/// Reserve for code that does not check how much is left: functions that do not recurse, and the runtime,
/// which makes the exception.
pub const RESERVED_BYTES: usize = 256 << 10;
/// Above the part that is used: in the last word is the address of the fiber that owns the stack.
const HEADER_BYTES: usize = 64;
/// Lowest part, which cannot be touched.
const GUARD_BYTES: usize = 64 << 10;
/// Stacks of a row.
const STACKS_PER_ROW: usize = 16;
/// Memory that a stack takes when hardly anything is on it: pages at its top, one for its fiber, and those
/// that say where these are.
const MIN_STACK_MEMORY_BYTES: usize = 24 << 10;

/// Stacks of the row that was made last which nobody has yet: where the next one begins, and where the last
/// one ends.
static UNUSED_OF_ROW: Mutex<(usize, usize)> = Mutex::new((0, 0));
/// A guard is a mapping of its own.
static GUARD_DIVIDES: AtomicBool = AtomicBool::new(false);

/// A stack.
pub(crate) struct AlignedStack {
    start: usize,
}

impl AlignedStack {
    /// A new one. It is never given back.
    pub(crate) fn new() -> io::Result<AlignedStack> {
        let mut rest = UNUSED_OF_ROW.lock();
        if rest.0 == rest.1 {
            // With a limit on address space a whole row may be too much: the heap needs some, too.
            let is_row_small = (STACKS_PER_ROW + 1) * STACK_BYTES <= limits::free_address_space() / 4;
            *rest = if is_row_small { row(STACKS_PER_ROW).or_else(|_| row(1)) } else { row(1) }?;
        }
        let start = rest.0;
        rest.0 += STACK_BYTES;
        drop(rest);
        if guard(start)? {
            GUARD_DIVIDES.store(true, Ordering::Relaxed);
        }
        Ok(AlignedStack { start })
    }

    /// Lowest and highest address that can be used.
    pub(crate) fn range(&self) -> (usize, usize) {
        (self.start + GUARD_BYTES, self.start + STACK_BYTES)
    }

    /// Where the address of the stack's owner is, which generated code finds from its stack pointer.
    pub(crate) fn owner(&self) -> *mut *const () {
        (self.start + STACK_BYTES - size_of::<usize>()) as *mut *const ()
    }
}

/// Address space for that many stacks: where it begins and ends.
fn row(stacks: usize) -> io::Result<(usize, usize)> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: new address space; what lies beside the aligned part of it goes back.
    unsafe {
        let flags = flags | libc::MAP_NORESERVE | libc::MAP_STACK;
        let space = libc::mmap(std::ptr::null_mut(), (stacks + 1) * STACK_BYTES, protection, flags, -1, 0);
        if space == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let space = space as usize;
        let start = space.next_multiple_of(STACK_BYTES);
        let end = start + stacks * STACK_BYTES;
        if start > space {
            libc::munmap(space as *mut _, start - space);
        }
        if space + STACK_BYTES > start {
            libc::munmap(end as *mut _, space + STACK_BYTES - start);
        }
        Ok((start, end))
    }
}

/// Makes the lowest part of a stack inaccessible. Whether that divided the mapping.
fn guard(start: usize) -> io::Result<bool> {
    /// Not known to older systems, which refuse it.
    const MADV_GUARD_INSTALL: i32 = 102;
    let start = start as *mut libc::c_void;
    // SAFETY: a part of a new stack.
    unsafe {
        if libc::madvise(start, GUARD_BYTES, MADV_GUARD_INSTALL) == 0 {
            return Ok(false);
        }
        if libc::mprotect(start, GUARD_BYTES, libc::PROT_NONE) == 0 {
            return Ok(true);
        }
    }
    Err(io::Error::last_os_error())
}

/// Stacks that there can be at most: an eighth of the machine's memory holds them, and there are fewer where
/// each takes two of the mappings that the system allows a process.
pub(crate) fn max_stacks() -> usize {
    static LIMITS: OnceLock<(usize, usize)> = OnceLock::new();
    let (by_memory, by_mappings) = *LIMITS.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok();
        let mappings: usize = text.and_then(|text| text.trim().parse().ok()).unwrap_or(65_530);
        // The rest of the process needs some, and an activity that waits without starting anything is not
        // counted.
        (heap::of_machine() / 8 / MIN_STACK_MEMORY_BYTES, mappings / 2 / 8 * 7)
    });
    if GUARD_DIVIDES.load(Ordering::Relaxed) { by_mappings.min(by_memory) } else { by_memory }
}

fn pointer(address: usize) -> StackPointer {
    StackPointer::new(address).unwrap_or(StackPointer::MAX)
}

// SAFETY: memory of that range for ever, with a guard below; both ends are aligned as stacks have to be.
unsafe impl Stack for AlignedStack {
    fn base(&self) -> StackPointer {
        pointer(self.start + STACK_BYTES - HEADER_BYTES)
    }

    fn limit(&self) -> StackPointer {
        pointer(self.start)
    }
}
