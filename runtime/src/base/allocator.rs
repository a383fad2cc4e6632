//! The allocator of the commands: the system's, which ends the process with a message when there is no
//! memory.
//!
//! The standard library's own message can come with a back trace, which needs memory itself and may never
//! end.

use std::alloc::{GlobalAlloc, Layout, System};

/// Larger requests may fail: their callers handle it.
const MAX_REQUIRED_BYTES: usize = 16 << 20;

/// What a process does that has no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Ends with exit status 1.
    Exit,
    /// Ends by `SIGABRT`, so that a handler of that signal can act.
    Abort,
}

/// The system's allocator with a clear end.
#[derive(Debug)]
pub struct Allocator {
    name: &'static str,
    end: End,
}

impl Allocator {
    /// An allocator for the command of this name.
    pub const fn new(name: &'static str, end: End) -> Self {
        Self { name, end }
    }

    /// From now on a new thread without memory for the stack of its signal handlers ends the process as a
    /// refused allocation does: the standard library panics there, outside of the thread's function.
    pub fn end_at_threads_without_stack(&'static self) {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if panic.location().is_some_and(|at| at.file().ends_with("unix/stack_overflow.rs")) {
                self.fail();
            }
            report(panic);
        }));
    }

    #[inline]
    fn checked(&self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() && bytes <= MAX_REQUIRED_BYTES {
            self.fail();
        }
        memory
    }

    #[cold]
    #[expect(
        clippy::disallowed_methods,
        reason = "an allocator cannot return, and nothing else can run without memory"
    )]
    fn fail(&self) -> ! {
        let parts = [
            self.name,
            ": out of memory: the system refuses more, or a limit is reached (`ulimit -v`, a container's)\n",
        ];
        for part in parts {
            // SAFETY: bytes of a constant; a failure cannot be reported.
            unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
        }
        match self.end {
            End::Abort => std::process::abort(),
            // SAFETY: ends the process; exit handlers could need memory.
            End::Exit => unsafe { libc::_exit(1) },
        }
    }
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        self.checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        self.checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        self.checked(unsafe { System.realloc(memory, layout, size) }, size)
    }
}
