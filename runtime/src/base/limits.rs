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

/// Where address space is limited, glibc's allocator must not reserve 64 MiB of it for each thread. To be
/// called before there are threads.
pub fn prepare_allocator() {
    #[cfg(target_env = "gnu")]
    if address_space() != usize::MAX {
        // SAFETY: sets an option.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}
