//! The stacks of fibers: address space of which memory is taken as it is used, with a page below that cannot be touched. A stack
//! begins at a multiple of its size, so that generated code sees from its stack pointer how much is left.

use std::io;

use corosensei::stack::{Stack, StackPointer};

use super::fiber::Fiber;

/// Address space of a stack.
pub const SIZE: usize = 8 << 20;
/// What is kept for code that does not look how much is left: functions that do not recurse, and the runtime, which makes the
/// exception.
pub const RESERVE: usize = 256 << 10;
/// What lies above the part that is used: in the last word the address of the fiber that owns the stack.
const ABOVE: usize = 64;
/// Lowest part, which cannot be touched.
const GUARD: usize = 64 << 10;

/// A stack.
pub struct AlignedStack {
    start: usize,
}

impl AlignedStack {
    /// A new one.
    pub fn new() -> io::Result<AlignedStack> {
        let (protection, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new address space; what lies beside the aligned part of it goes back.
        unsafe {
            let flags = flags | libc::MAP_NORESERVE | libc::MAP_STACK;
            let space = libc::mmap(std::ptr::null_mut(), 2 * SIZE, protection, flags, -1, 0);
            if space == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let space = space as usize;
            let start = space.next_multiple_of(SIZE);
            if start > space {
                libc::munmap(space as *mut _, start - space);
            }
            libc::munmap((start + SIZE) as *mut _, space + SIZE - start);
            let stack = AlignedStack { start };
            if libc::mprotect(start as *mut _, GUARD, libc::PROT_NONE) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(stack)
        }
    }

    /// Lowest and highest address that can be used.
    pub fn range(&self) -> (usize, usize) {
        (self.start + GUARD, self.start + SIZE)
    }

    /// Where the address of the stack's owner is, which generated code finds from its stack pointer.
    pub fn owner(&self) -> *mut *const Fiber {
        (self.start + SIZE - size_of::<usize>()) as *mut *const Fiber
    }
}

impl Drop for AlignedStack {
    fn drop(&mut self) {
        // SAFETY: its own address space, which nobody uses any more.
        unsafe { libc::munmap(self.start as *mut _, SIZE) };
    }
}

fn pointer(address: usize) -> StackPointer {
    StackPointer::new(address).unwrap_or(StackPointer::MAX)
}

// SAFETY: memory of that range, with a guard below, as long as the value lives; both ends are aligned as stacks have to be.
unsafe impl Stack for AlignedStack {
    fn base(&self) -> StackPointer {
        pointer(self.start + SIZE - ABOVE)
    }

    fn limit(&self) -> StackPointer {
        pointer(self.start)
    }
}
