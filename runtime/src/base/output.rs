//! Standard output and error of a place. Output leaves it in whole lines, so that lines of several
//! activities and places do not mix; a terminal gets everything at once.

use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::ending::{End, ExitStatus};
use crate::base::place::{self, Part, PlacePart, here};
use crate::base::{output_errors, output_lock, output_tag};

/// Takes what a place prints to standard output (1) or error (2).
pub type Sink = Arc<dyn Fn(i32, &[u8]) + Send + Sync>;

/// Output of a place.
#[derive(Default)]
struct Output {
    /// What was printed after the last line end: standard output, standard error.
    pending: [Mutex<Vec<u8>>; 2],
    /// Takes the output in place of the process's streams.
    sink: OnceLock<Sink>,
}

// SAFETY: the only type with that part.
unsafe impl PlacePart for Output {
    const PART: Part = Part::Output;
}

/// From now on `sink` takes what the calling thread's place prints.
pub(crate) fn set_sink(sink: Sink) {
    place::part::<Output>().sink.get_or_init(|| sink);
}

/// Bytes of an unfinished line that are kept back at most.
const MAX_PENDING_BYTES: usize = 1 << 16;
/// How long the end of the process waits for a thread that prints.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

fn index(stream: i32) -> usize {
    usize::from(stream == 2)
}

/// Writes bytes to the stream. When the reader of standard output has gone, the program ends as other
/// programs do; any other failure is reported and counts in the exit status.
fn emit(stream: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    if let Some(sink) = place::part::<Output>().sink.get() {
        return sink([1, 2][stream], bytes);
    }
    let tagged = place_tag().map(|tag| output_tag::tagged(tag, bytes));
    let bytes = tagged.as_deref().unwrap_or(bytes);
    let _in_one_piece = output_lock::exclusive();
    let Err(error) = output_errors::write_fully([libc::STDOUT_FILENO, libc::STDERR_FILENO][stream], bytes)
    else {
        return;
    };
    match (stream, error.kind()) {
        (0, std::io::ErrorKind::BrokenPipe) => {
            place::current().ending().set(End::Failed(ExitStatus::Signal(libc::SIGPIPE)));
        }
        (_, std::io::ErrorKind::BrokenPipe) => {}
        _ => output_errors::report(["standard output", "standard error"][stream], &error),
    }
}

/// What tells lines of this place from others', if the reader of the output wants that.
fn place_tag() -> Option<&'static str> {
    static TAG: OnceLock<Option<String>> = OnceLock::new();
    let tag = TAG.get_or_init(|| std::env::var_os(output_tag::VARIABLE).map(|_| output_tag::tag(here().0)));
    tag.as_deref()
}

fn is_terminal(stream: usize) -> bool {
    static TERMINAL: OnceLock<[bool; 2]> = OnceLock::new();
    TERMINAL.get_or_init(|| [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()])[stream]
}

/// Prints to standard output (1) or error (2).
pub(crate) fn print(stream: i32, bytes: &[u8]) {
    let stream = index(stream);
    let output = place::part::<Output>();
    let mut pending = output.pending[stream].lock();
    pending.extend_from_slice(bytes);
    let is_unbuffered = output.sink.get().is_none() && is_terminal(stream);
    let whole = if is_unbuffered || pending.len() > MAX_PENDING_BYTES {
        pending.len()
    } else {
        pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)
    };
    if whole > 0 {
        emit(stream, &pending[..whole]);
        pending.drain(..whole);
    }
}

/// Writes the unfinished line of standard output (1) or error (2).
pub(crate) fn flush(stream: i32) {
    let stream = index(stream);
    let output = place::part::<Output>();
    let mut pending = output.pending[stream].lock();
    if !pending.is_empty() {
        emit(stream, &pending);
        pending.clear();
    }
}

/// Writes the unfinished lines of the calling thread's place as its program ends. Does not wait for a thread
/// that is printing.
pub(crate) fn flush_all() {
    for (stream, pending) in place::part::<Output>().pending.iter().enumerate() {
        if let Some(mut pending) = pending.try_lock_for(FLUSH_TIMEOUT) {
            emit(stream, &pending);
            pending.clear();
        }
    }
}
