//! Standard output and error of this process. Output leaves it in whole lines, so that lines of several
//! activities and places do not mix; a terminal gets everything at once.

use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::place::here;
use crate::base::{output_errors, output_lock, output_tag, process};

/// What was printed after the last line end: standard output, standard error.
static PENDING: [Mutex<Vec<u8>>; 2] = [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
/// Bytes of an unfinished line that are kept back at most.
const MAX_PENDING_BYTES: usize = 1 << 16;
/// How long the end of the process waits for a thread that prints.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(200);

/// Ends the program after the reader of its output has gone.
static ON_BROKEN_PIPE: OnceLock<fn() -> !> = OnceLock::new();

/// Has `end` called when the reader of standard output has gone; without it the process ends by SIGPIPE.
pub(crate) fn set_on_broken_pipe(end: fn() -> !) {
    ON_BROKEN_PIPE.get_or_init(|| end);
}

fn end_by_broken_pipe() -> ! {
    match ON_BROKEN_PIPE.get() {
        Some(end) => end(),
        None => process::end_by(libc::SIGPIPE),
    }
}

fn index(stream: i32) -> usize {
    usize::from(stream == 2)
}

/// Writes bytes to the stream. When the reader of standard output has gone, the program ends as other
/// programs do; any other failure is reported and counts in the exit status.
fn emit(stream: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let tagged = place_tag().map(|tag| output_tag::tagged(tag, bytes));
    let bytes = tagged.as_deref().unwrap_or(bytes);
    let _in_one_piece = output_lock::exclusive();
    let Err(error) = output_errors::write_fully([libc::STDOUT_FILENO, libc::STDERR_FILENO][stream], bytes)
    else {
        return;
    };
    match (stream, error.kind()) {
        (0, std::io::ErrorKind::BrokenPipe) => end_by_broken_pipe(),
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
    let mut pending = PENDING[stream].lock();
    pending.extend_from_slice(bytes);
    let whole = if is_terminal(stream) || pending.len() > MAX_PENDING_BYTES {
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
    let mut pending = PENDING[stream].lock();
    if !pending.is_empty() {
        emit(stream, &pending);
        pending.clear();
    }
}

/// Writes the unfinished lines as the process ends. Does not wait for a thread that is printing.
pub(crate) fn flush_all() {
    for (stream, pending) in PENDING.iter().enumerate() {
        if let Some(mut pending) = pending.try_lock_for(FLUSH_TIMEOUT) {
            emit(stream, &pending);
            pending.clear();
        }
    }
}

/// Ends the process with that status, with what is buffered written out.
pub(crate) fn end_process(status: i32) -> ! {
    flush_all();
    std::process::exit(output_errors::exit_status(status, 1))
}
