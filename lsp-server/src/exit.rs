//! End of the process.

/// Ends the process without running exit handlers. In the child that compiles kernels a thread may be inside
/// of NVRTC, which the handlers would unload under it.
pub fn end_process(status: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` does not return and runs no code of this process.
    unsafe {
        libc::_exit(status)
    }
    #[cfg(not(unix))]
    std::process::exit(status)
}
