//! Standard output, error and input. Output leaves the process in whole lines, so that lines of several activities and
//! places do not mix; a terminal gets everything at once.

use std::io::{BufRead, IsTerminal, Read, Write};

use parking_lot::Mutex;

use super::{raise, text_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::memory::Ref;
use crate::program;

/// What was printed after the last line end: standard output, standard error.
static PENDING: [Mutex<Vec<u8>>; 2] = [Mutex::new(Vec::new()), Mutex::new(Vec::new())];
/// Largest piece of a line that is kept back.
const MOST_PENDING: usize = 1 << 16;

fn index(stream: i32) -> usize {
    usize::from(stream == 2)
}

/// Writes bytes to the stream. When the reader of standard output has gone, the program ends as other programs do;
/// whatever else goes wrong is no error of the program.
fn emit(stream: usize, bytes: &[u8]) {
    let _in_one_piece = crate::transport::output::exclusive();
    let written = match stream {
        0 => std::io::stdout().write_all(bytes).and_then(|()| std::io::stdout().flush()),
        _ => std::io::stderr().write_all(bytes),
    };
    if stream == 0 && written.is_err_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe) {
        crate::distributed::session::nobody_reads();
    }
}

fn is_terminal(stream: usize) -> bool {
    use std::sync::OnceLock;
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

pub fn console_read_line() -> Outcome<Ref> {
    flush(1);
    let mut line = Vec::new();
    match std::io::stdin().lock().read_until(b'\n', &mut line) {
        Ok(0) => Ok(Ref::NULL),
        Ok(_) => {
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
    flush(1);
    let mut byte = [0];
    match std::io::stdin().lock().read(&mut byte) {
        Ok(0) => Ok(-1),
        Ok(_) => Ok(byte[0].into()),
        Err(error) => failed(&error),
    }
}

/// The text of a name that must not be null.
pub fn name_of(string: Ref) -> Outcome<String> {
    Ok(text_of(string)?.into_owned())
}
