//! Scheduling priority of background threads.

/// The nice value of threads that work in the background.
#[cfg(target_os = "linux")]
const BACKGROUND_NICE: libc::c_int = 10;

/// Lowers the scheduling priority of the calling thread.
pub(crate) fn lower() {
    // SAFETY: on Linux the call affects the calling thread alone.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, BACKGROUND_NICE);
    }
}
