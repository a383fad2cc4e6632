//! Signals that this process uses, and its end by one.

/// The signal by which the collector stops threads. No handler runs while it is delivered.
pub const STOP_SIGNAL: libc::c_int = libc::SIGPWR;

/// Ends this process by a signal, as if nothing had ever caught it.
pub fn end_by(signal: i32) -> ! {
    // SAFETY: plain system calls.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    // The signal is blocked.
    std::process::exit(128 + signal)
}
