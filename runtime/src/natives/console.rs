//! Standard output, error and input. Output leaves the process in whole lines, so that lines of several activities and
//! places do not mix; a terminal gets everything at once.

use std::io::{BufRead, BufReader, IsTerminal, Read, Stdin};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::{raise, text_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::base::{output_errors, output_tag};
use crate::heap::Ref;
use crate::program;
use crate::scheduler::park::Event;

/// What was printed after the last line end: standard output, standard error.
static PENDING: [Mutex<Vec<u8>>; 2] = [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
/// Largest piece of a line that is kept back.
const MOST_PENDING: usize = 1 << 16;

fn index(stream: i32) -> usize {
    usize::from(stream == 2)
}

/// Writes bytes to the stream. When the reader of standard output has gone, the program ends as other programs do;
/// any other failure is reported and counts in the exit status.
fn emit(stream: usize, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let tagged = tag().map(|tag| output_tag::tagged(tag, bytes));
    let bytes = tagged.as_deref().unwrap_or(bytes);
    let _in_one_piece = crate::net::bootstrap::output_lock::exclusive();
    let Err(error) = output_errors::write_fully([libc::STDOUT_FILENO, libc::STDERR_FILENO][stream], bytes)
    else {
        return;
    };
    match (stream, error.kind()) {
        (0, std::io::ErrorKind::BrokenPipe) => crate::apgas::bootstrap::nobody_reads(),
        (_, std::io::ErrorKind::BrokenPipe) => {}
        _ => output_errors::report(["standard output", "standard error"][stream], &error),
    }
}

/// What tells lines of this place from others', if a reader has asked for it.
fn tag() -> Option<&'static str> {
    static TAG: OnceLock<Option<String>> = OnceLock::new();
    let tag = TAG.get_or_init(|| {
        std::env::var_os(output_tag::VARIABLE).map(|_| output_tag::tag(crate::base::place::here()))
    });
    tag.as_deref()
}

fn is_terminal(stream: usize) -> bool {
    static TERMINAL: OnceLock<[bool; 2]> = OnceLock::new();
    TERMINAL.get_or_init(|| [std::io::stdout().is_terminal(), std::io::stderr().is_terminal()])[stream]
}

/// Prints to standard output (1) or error (2).
pub fn print(stream: i32, bytes: &[u8]) {
    let stream = index(stream);
    let mut pending = PENDING[stream].lock();
    pending.extend_from_slice(bytes);
    let whole = if is_terminal(stream) || pending.len() > MOST_PENDING {
        pending.len()
    } else {
        pending.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)
    };
    if whole > 0 {
        emit(stream, &pending[..whole]);
        pending.drain(..whole);
    }
}

fn flush(stream: i32) {
    let stream = index(stream);
    let mut pending = PENDING[stream].lock();
    if !pending.is_empty() {
        emit(stream, &pending);
        pending.clear();
    }
}

/// Writes what is kept back, as the process ends. Does not wait for a thread that is printing just now.
pub fn flush_all() {
    for (stream, pending) in PENDING.iter().enumerate() {
        if let Some(mut pending) = pending.try_lock_for(std::time::Duration::from_millis(200)) {
            emit(stream, &pending);
            pending.clear();
        }
    }
}

pub fn console_print(stream: i32, string: Ref) -> Outcome<()> {
    let text = if string.is_null() { &b"null"[..] } else { string.bytes() };
    print(stream, text);
    Ok(())
}

pub fn console_flush(stream: i32) -> Outcome<()> {
    flush(stream);
    Ok(())
}

fn failed<T>(error: &std::io::Error) -> Outcome<T> {
    raise(ExceptionKind::Io, &format!("cannot read standard input: {error}"))
}

/// Standard input. What is in its buffer is read at once; for more, the activity waits and its thread goes on with others.
static INPUT: Mutex<Option<BufReader<Stdin>>> = Mutex::new(None);

/// Reads from standard input. `at_hand` says whether a buffer has all that `read` will ask for.
fn read_input<T: Send + 'static>(
    at_hand: fn(&[u8]) -> bool,
    read: fn(&mut BufReader<Stdin>) -> std::io::Result<T>,
) -> std::io::Result<T> {
    flush(1);
    let read_now =
        move || read(INPUT.lock().get_or_insert_with(|| BufReader::with_capacity(1 << 16, std::io::stdin())));
    let known = INPUT.try_lock().is_some_and(|input| input.as_ref().is_some_and(|it| at_hand(it.buffer())));
    if known {
        return read_now();
    }
    // Until then, activities that all wait are no deadlock.
    let external = crate::scheduler::external();
    let found = Arc::new(Mutex::new(None));
    let event = Arc::<Event>::default();
    let (answer, arrived) = (Arc::clone(&found), Arc::clone(&event));
    let reader = move || {
        *answer.lock() = Some(read_now());
        arrived.set();
    };
    std::thread::Builder::new().name("apg-input".to_owned()).spawn(reader)?;
    event.wait();
    drop(external);
    let result = found.lock().take();
    result.unwrap_or_else(|| Err(std::io::ErrorKind::UnexpectedEof.into()))
}

pub fn console_read_line() -> Outcome<Ref> {
    let read = |input: &mut BufReader<Stdin>| {
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line).map(|_| line)
    };
    match read_input(|buffer| buffer.contains(&b'\n'), read) {
        Ok(line) if line.is_empty() => Ok(Ref::NULL),
        Ok(mut line) => {
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            program::string(&line)
        }
        Err(error) => failed(&error),
    }
}

pub fn console_read_byte() -> Outcome<i32> {
    let read = |input: &mut BufReader<Stdin>| {
        let mut byte = [0];
        input.read(&mut byte).map(|count| if count == 0 { -1 } else { i32::from(byte[0]) })
    };
    match read_input(|buffer| !buffer.is_empty(), read) {
        Ok(byte) => Ok(byte),
        Err(error) => failed(&error),
    }
}

/// The text of a name that must not be null.
pub fn name_of(string: Ref) -> Outcome<String> {
    Ok(text_of(string)?.into_owned())
}
