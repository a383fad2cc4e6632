//! `Console`: standard output, error and input.

use std::io::{BufRead, BufReader, Read, Stdin};
use std::sync::Arc;

use parking_lot::Mutex;

use super::{raise, text_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::base::output;
use crate::heap::Ref;
use crate::program;
use crate::scheduler::park::Event;

pub(crate) fn console_print(stream: i32, string: Ref) -> Outcome<()> {
    let text = if string.is_null() { &b"null"[..] } else { string.bytes() };
    output::print(stream, text);
    Ok(())
}

pub(crate) fn console_flush(stream: i32) -> Outcome<()> {
    output::flush(stream);
    Ok(())
}

fn failed<T>(error: &std::io::Error) -> Outcome<T> {
    raise(ExceptionKind::Io, &format!("cannot read standard input: {error}"))
}

/// Standard input. What is in its buffer is read at once; for more, the activity waits, and its thread runs
/// others.
static INPUT: Mutex<Option<BufReader<Stdin>>> = Mutex::new(None);

/// Reads from standard input. `at_hand` says whether a buffer has all that `read` will ask for.
fn read_input<T: Send + 'static>(
    at_hand: fn(&[u8]) -> bool,
    read: fn(&mut BufReader<Stdin>) -> std::io::Result<T>,
) -> std::io::Result<T> {
    output::flush(1);
    let read_now =
        move || read(INPUT.lock().get_or_insert_with(|| BufReader::with_capacity(1 << 16, std::io::stdin())));
    let known = INPUT.try_lock().is_some_and(|input| input.as_ref().is_some_and(|it| at_hand(it.buffer())));
    if known {
        return read_now();
    }
    // Until then, activities that all wait are no deadlock.
    let external = crate::scheduler::ExternalEventGuard::new();
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

pub(crate) fn console_read_line() -> Outcome<Ref> {
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

pub(crate) fn console_read_byte() -> Outcome<i32> {
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
pub(crate) fn name_of(string: Ref) -> Outcome<String> {
    Ok(text_of(string)?.into_owned())
}
