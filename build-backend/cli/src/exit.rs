//! The end of this process: the libraries say with what status it is to end.

use std::ffi::{c_char, c_int};

use apg_runtime::offload::Main;
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

/// Makes the C library write each line of standard output by itself, so that lines of several places are
/// whole.
pub(crate) fn buffer_lines() {
    // SAFETY: nothing has been written yet; a null pointer asks the library for a buffer of its own.
    unsafe { libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IOLBF, LINE_BUFFER_BYTES) };
}

/// Bytes of a line that is written at once.
const LINE_BUFFER_BYTES: usize = 4096;

unsafe extern "C" {
    /// Standard output of the C library (C17 7.21.1).
    static stdout: *mut libc::FILE;
    /// The environment (POSIX.1-2017, `environ`).
    static environ: *mut *mut c_char;
    /// What the C library calls the program in its messages.
    static mut program_invocation_name: *mut c_char;
    static mut program_invocation_short_name: *mut c_char;
}

/// Runs the `main` of a program in C with these words, which a null pointer ends, as the system starts it.
pub(crate) fn run_main(main: Main, count: usize, words: &'static mut [*mut c_char]) -> i32 {
    // SAFETY: no other thread runs; the words live as long as the process.
    unsafe {
        // Rust ignores this signal.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        if let Some(name) = words.first().copied().filter(|it| !it.is_null()) {
            program_invocation_name = name;
            let slash = libc::strrchr(name, c_int::from(b'/'));
            program_invocation_short_name = if slash.is_null() { name } else { slash.add(1) };
        }
        main(count as c_int, words.as_mut_ptr(), environ)
    }
}

/// Ends this process without the functions that `exit` calls: other threads run.
pub(crate) fn end_at_once(status: i32) -> ! {
    // SAFETY: a system call.
    unsafe { libc::_exit(status) }
}

/// Ends this process as `exit` does.
pub(crate) fn end_with(status: i32) -> ! {
    std::process::exit(status)
}
