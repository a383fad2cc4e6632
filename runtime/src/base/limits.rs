//! What the system limits a process to.

/// The limit on this process's address space in bytes (`ulimit -v`); `usize::MAX` without one.
pub fn address_space() -> usize {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the call fills in the structure; if it fails there is no limit.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    if limit.rlim_cur == libc::RLIM_INFINITY {
        return usize::MAX;
    }
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

/// Bytes of address space that the limit leaves to this process now; `usize::MAX` without one.
pub fn free_address_space() -> usize {
    let limit = address_space();
    if limit == usize::MAX {
        return usize::MAX;
    }
    // Linux says how many pages are mapped; elsewhere all of the limit counts as free.
    let mapped = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<usize>().ok())
        .unwrap_or(0);
    // SAFETY: asks the system for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    limit.saturating_sub(mapped.saturating_mul(page))
}

/// Where address space is limited, glibc's allocator must not reserve 64 MiB of it for each thread. To be
/// called before there are threads.
pub fn prepare_allocator() {
    #[cfg(target_env = "gnu")]
    if address_space() != usize::MAX {
        // SAFETY: sets an option.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Where address space is limited, gives the main thread its stack now: a stack that cannot grow any more
/// ends the process by a fault. Without room the allocator reports that. To be called before there are
/// threads.
pub fn prepare_stack() {
    /// As much as a command needs whose code is not optimised.
    const STACK_BYTES: usize = 512 << 10;
    /// Each page is written once, from the top, in the frame of this function.
    #[inline(never)]
    fn grow() {
        std::hint::black_box(&mut [0_u8; STACK_BYTES]);
    }
    if address_space() != usize::MAX {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(2 * STACK_BYTES)));
        grow();
    }
}
