//! Profiles of programs in C whose regions run on devices.

use std::cell::Cell;
use std::ffi::CStr;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::naming::Naming;
use super::{Code, Destination, Settings, Span, What, complete, finish, now, on, record, start_with};

/// The process whose profile it is: processes that the program has forked have none.
static PROCESS: OnceLock<u32> = OnceLock::new();
/// The number of threads that have executed directives.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Records from now on what the program in C of this process does. The file is written when the program ends
/// by `exit` or at the end of `main`, behind the functions that it has given to `atexit`.
pub fn start_program(file: PathBuf) {
    if PROCESS.set(std::process::id()).is_err() {
        return;
    }
    start_with(Settings { destination: Destination::Beside(file), place: 0, naming: Naming::Devices });
    // SAFETY: registers a function that stays.
    unsafe { libc::atexit(write_profile) };
}

extern "C" fn write_profile() {
    if PROCESS.get() == Some(&std::process::id()) {
        finish();
        complete(1);
    }
}

/// The number of the calling thread among those that execute directives.
fn thread_number() -> usize {
    NUMBER.get().unwrap_or_else(|| {
        let number = THREADS.fetch_add(1, Ordering::Relaxed);
        NUMBER.set(Some(number));
        number
    })
}

/// The calling thread has executed a directive since `began`.
pub(crate) fn directive(name: &'static CStr, code: Code, began: u64) {
    let what = What::Directive { name, code };
    record(Span { what, place: 0, worker: Some(thread_number()), began, ended: now() });
}

/// Bytes of an expression of the program that move between the host and a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    /// The device's place.
    pub place: i64,
    /// In which direction.
    pub how: &'static str,
    /// How many.
    pub bytes: u64,
    /// The directive.
    pub code: Code,
    /// The expression, if it is known.
    pub object: Option<&'static CStr>,
}

/// Moves bytes, and records it.
pub(crate) fn moved<T>(moved: impl FnOnce() -> Moved, operation: impl FnOnce() -> T) -> T {
    if !on() {
        return operation();
    }
    let began = now();
    let result = operation();
    let Moved { place, how, bytes, code, object } = moved();
    let what = What::Copy { how, bytes, code, object };
    record(Span { what, place, worker: None, began, ended: now() });
    result
}
