//! x10.lang.System: time, environment, end of the program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::text_of;
use crate::abi::Outcome;
use crate::base::fatal::fail_and_suspend;
use crate::base::place::{self, Part, PlacePart};
use crate::heap;
use crate::heap::Ref;
use crate::program;

/// The exit status that the program has set at a place.
#[derive(Default)]
struct ExitCode(AtomicI32);

// SAFETY: the only type with that part.
unsafe impl PlacePart for ExitCode {
    const PART: Part = Part::ExitCode;
}

/// The exit status that the program has set here.
pub(crate) fn exit_code() -> i32 {
    place::part::<ExitCode>().0.load(Ordering::SeqCst)
}

pub(crate) fn nano_time() -> i64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as i64
}

pub(crate) fn current_time_millis() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

pub(crate) fn set_exit_code(code: i32) {
    place::part::<ExitCode>().0.store(code, Ordering::SeqCst);
}

pub(crate) fn kill_here() {
    fail_and_suspend(1);
}

pub(crate) fn getenv(name: Ref) -> Outcome<Ref> {
    match std::env::var_os(&*text_of(name)?) {
        Some(value) => program::string(value.as_encoded_bytes()),
        None => Ok(Ref::NULL),
    }
}

pub(crate) fn environment() -> Outcome<Ref> {
    let mut all = Vec::new();
    for (name, value) in std::env::vars_os() {
        all.extend_from_slice(name.as_encoded_bytes());
        all.push(b'=');
        all.extend_from_slice(value.as_encoded_bytes());
        all.push(0);
    }
    program::string(&all)
}

/// The number of the process, and the name of its host.
pub(crate) fn process_name() -> Outcome<Ref> {
    let mut host = [0u8; 256];
    // SAFETY: the buffer has that many bytes; its last one stays zero.
    let known = unsafe { libc::gethostname(host.as_mut_ptr().cast(), host.len() - 1) } == 0;
    let length = host.iter().position(|byte| *byte == 0).unwrap_or(0);
    let host = if known { String::from_utf8_lossy(&host[..length]) } else { "localhost".into() };
    program::string(format!("{}@{host}", std::process::id()).as_bytes())
}

pub(crate) fn gc() {
    heap::collect();
}

pub(crate) fn heap_size() -> i64 {
    heap::bytes_in_use() as i64
}
