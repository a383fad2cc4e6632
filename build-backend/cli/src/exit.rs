//! The end of this process: the libraries say with what status it is to end.

use apg_runtime::run::ExitStatus;

/// The lowest byte of a program's status, which counts for the system. Ends this process if the program has
/// ended by a signal.
pub(crate) fn byte_of(status: ExitStatus) -> u8 {
    match status {
        ExitStatus::Code(code) => u8::try_from(code & 0xff).unwrap_or(1),
        ExitStatus::Signal(signal) => end_by(signal),
    }
}

/// Ends this process by a signal, as if nothing had ever caught it.
pub(crate) fn end_by(signal: i32) -> ! {
    // SAFETY: plain system calls.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    // The signal is blocked.
    std::process::exit(128 + signal)
}
