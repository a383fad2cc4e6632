//! Tracing of a program for `apg run --profile FILE`: activities, kernels, copies, calls of slots and
//! directives of C, each a span with its place and source line. Nothing is recorded without that option; with
//! it a span costs two readings of the clock and a push.

mod activity;
mod code;
mod naming;
mod program_in_c;
mod report;
mod slot;
mod trace;

use std::ffi::CStr;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;

use self::naming::Naming;
use self::slot::MessageEnd;
use crate::base::output_errors;
use crate::layout::Kernel;

pub use activity::{Open, Opened};
pub use code::Code;
pub use program_in_c::start_program;
pub(crate) use program_in_c::{Moved, directive, moved};
pub(crate) use report::{Joining, print as print_summary};
pub use slot::{Slot, SlotCall, message_received, message_sent};

/// Environment variable with the file of the profile, where no option names it.
pub const VARIABLE: &str = "APG_PROFILE";
/// Environment variable with the name of the profile in messages, where the file goes elsewhere afterwards.
pub const NAME_VARIABLE: &str = "APG_PROFILE_NAME";

static ON: AtomicBool = AtomicBool::new(false);
static SETTINGS: OnceLock<Settings> = OnceLock::new();
/// What each thread has recorded.
static THREADS: Mutex<Vec<&'static Mutex<Recorded>>> = Mutex::new(Vec::new());
/// Messages to other hosts, and their bytes.
static MESSAGES: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

thread_local! {
    /// Without a destructor, so that functions given to `atexit` may record as well.
    static OWN: &'static Mutex<Recorded> = {
        let own = &*Box::leak(Box::default());
        THREADS.lock().push(own);
        own
    };
}

struct Settings {
    destination: Destination,
    place: u32,
    naming: Naming,
}

/// Where the part of a place goes.
enum Destination {
    /// Beside this file, which place 0 makes of the parts of all places.
    Beside(PathBuf),
    /// Into this file; another process joins the parts.
    Part(File),
}

/// What happened.
#[derive(Clone, Debug)]
enum What {
    /// An activity ran; `first` is not set for what it did after it had waited.
    Activity { code: Code, first: bool },
    /// A kernel ran.
    Kernel { kernel: &'static Kernel, blocks: [i32; 3], threads: [i32; 3] },
    /// Bytes moved; in a program in C those of an expression.
    Copy { how: &'static str, bytes: u64, code: Code, object: Option<&'static CStr> },
    /// A thread of a program in C executed a directive.
    Directive { name: &'static CStr, code: Code },
    /// A slot made a call.
    Slot(SlotCall),
}

/// Something that took time, in nanoseconds of the machine's clock.
#[derive(Clone, Debug)]
struct Span {
    what: What,
    /// Where it is shown: the place, and the worker if it is one's work.
    place: i64,
    worker: Option<usize>,
    began: u64,
    ended: u64,
}

/// What a thread has recorded.
#[derive(Debug, Default)]
struct Recorded {
    spans: Vec<Span>,
    message_ends: Vec<MessageEnd>,
}

/// Records from now on; [`finish`] writes what happened at this place beside `file`, and [`complete`] joins
/// the parts of all places to it.
pub fn start(file: PathBuf, place: u32) {
    start_with(Settings { destination: Destination::Beside(file), place, naming: Naming::Places });
}

/// Records from now on; [`finish`] writes to `part` what happened at this place.
pub fn start_part(part: File, place: u32) {
    start_with(Settings { destination: Destination::Part(part), place, naming: Naming::Places });
}

fn start_with(settings: Settings) {
    if SETTINGS.set(settings).is_ok() {
        ON.store(true, Ordering::Relaxed);
    }
}

/// Whether spans are recorded.
#[inline]
pub fn on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Now, on a clock that all places of a machine share.
pub fn now() -> u64 {
    // SAFETY: the result goes to a local.
    unsafe {
        let mut now: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}

/// Not inlined: an activity may go on in another thread.
#[inline(never)]
fn record(span: Span) {
    OWN.with(|own| own.lock().spans.push(span));
}

/// Not inlined, as [`record`].
#[inline(never)]
fn record_message_end(end: MessageEnd) {
    OWN.with(|own| own.lock().message_ends.push(end));
}

/// Nanoseconds as the microseconds of the Trace Event Format.
fn microseconds(nanoseconds: u64) -> String {
    format!("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000)
}

/// A kernel has run at a place.
pub fn kernel(
    place: i64,
    kernel: &'static Kernel,
    (blocks, threads): ([i32; 3], [i32; 3]),
    began: u64,
    ended: u64,
) {
    let what = What::Kernel { kernel, blocks, threads };
    record(Span { what, place, worker: None, began, ended });
}

/// A copy that has begun; [`Copying::end`] records it.
#[derive(Debug)]
pub struct Copying {
    how: &'static str,
    place: i64,
    bytes: u64,
    code: Code,
    began: u64,
}

/// If copies are recorded: that one begins now, on behalf of the caller.
pub fn copying(place: i64, how: &'static str, bytes: u64) -> Option<Copying> {
    on().then(|| Copying { how, place, bytes, code: Code::of_caller(), began: now() })
}

impl Copying {
    /// It has ended.
    pub fn end(self) {
        let what = What::Copy { how: self.how, bytes: self.bytes, code: self.code, object: None };
        record(Span { what, place: self.place, worker: None, began: self.began, ended: now() });
    }
}

/// A function that is called once, with a result.
type Callback<R> = Box<dyn FnOnce(R) + Send>;

/// The same for a copy that calls `done` at its end.
pub fn copied<R: 'static>(place: i64, how: &'static str, bytes: u64, done: Callback<R>) -> Callback<R> {
    match copying(place, how, bytes) {
        None => done,
        Some(copying) => Box::new(move |result| {
            copying.end();
            done(result);
        }),
    }
}

/// A message to another host.
pub fn message(bytes: usize) {
    if on() {
        MESSAGES[0].fetch_add(1, Ordering::Relaxed);
        MESSAGES[1].fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// The end of this place: writes what was recorded. Place 0 calls [`complete`] when the others have ended.
pub fn finish() {
    let Some(settings) = SETTINGS.get() else { return };
    if !ON.swap(false, Ordering::Relaxed) {
        return;
    }
    let mut recorded = Recorded::default();
    for own in THREADS.lock().iter() {
        let mut own = own.lock();
        recorded.spans.append(&mut own.spans);
        recorded.message_ends.append(&mut own.message_ends);
    }
    let messages = [0, 1].map(|it: usize| MESSAGES[it].load(Ordering::Relaxed));
    let part = trace::part((settings.place, settings.naming), recorded, messages);
    let written = match &settings.destination {
        Destination::Beside(file) => fs::write(part_beside(file, settings.place), part),
        Destination::Part(file) => (&*file).write_all(part.as_bytes()),
    };
    if let Err(error) = written {
        output_errors::report(&settings.name(), &error);
    }
}

/// Joins what all places of this machine have written, and prints a summary.
pub fn complete(places: u32) {
    let Some(settings) = SETTINGS.get() else { return };
    let Destination::Beside(file) = &settings.destination else { return };
    match report::join_beside(file, &shown_name(file), places) {
        Ok(summary) => report::print(&summary),
        Err(error) => output_errors::report(&settings.name(), &error),
    }
}

/// The name of a profile's file in messages.
pub(crate) fn shown_name(file: &Path) -> String {
    let name = std::env::var_os(NAME_VARIABLE).filter(|name| !name.is_empty());
    name.map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The part of a place beside the file of the whole.
fn part_beside(file: &Path, place: u32) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".place{place}"));
    name.into()
}

impl Settings {
    /// The profile in messages.
    fn name(&self) -> String {
        match &self.destination {
            Destination::Beside(file) => format!("the profile {}", shown_name(file)),
            Destination::Part(_) => "the profile".to_owned(),
        }
    }
}
