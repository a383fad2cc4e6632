//! Standard input on its way to a job: kept until the program has taken it, and sent again over a new
//! connection from the byte that has arrived last.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::protocol::INPUT_WINDOW;

/// Maximum length of a piece.
const MAX_PIECE_BYTES: usize = 32 << 10;
/// Interval at which a process in the background looks whether it has come to the foreground.
const FOREGROUND_INTERVAL: Duration = Duration::from_millis(200);

/// Input that the program has not taken.
#[derive(Default)]
pub(super) struct Input {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// What was read, from the offset on.
    bytes: VecDeque<u8>,
    offset: u64,
    has_ended: bool,
    /// Offset up to which it was sent over this connection, and whether its end was.
    sent: u64,
    is_end_sent: bool,
    /// The number of this connection.
    connection: u64,
}

/// A piece to send, with its offset; an empty one is the end.
pub(super) type Piece = (u64, Vec<u8>);

impl Input {
    /// Reads standard input from now on, in a thread.
    pub(super) fn read_standard_input(self: &Arc<Self>) -> io::Result<()> {
        let input = Arc::clone(self);
        let work = move || {
            let mut buffer = vec![0; MAX_PIECE_BYTES];
            loop {
                wait_for_foreground();
                match io::stdin().read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    // An input that cannot be read has ended.
                    Ok(0) | Err(_) => return input.end(),
                    Ok(count) => input.add(&buffer[..count]),
                }
            }
        };
        std::thread::Builder::new().name("apg-input".to_owned()).spawn(work).map(drop)
    }

    fn add(&self, bytes: &[u8]) {
        let mut state = self.state.lock();
        while state.bytes.len() as u64 + bytes.len() as u64 > INPUT_WINDOW {
            self.changed.wait(&mut state);
        }
        state.bytes.extend(bytes);
        self.changed.notify_all();
    }

    fn end(&self) {
        self.state.lock().has_ended = true;
        self.changed.notify_all();
    }

    /// A new connection, at whose other end this number of bytes has arrived; its number.
    pub(super) fn begin(&self, arrived: u64) -> u64 {
        let mut state = self.state.lock();
        state.connection += 1;
        state.sent = arrived.clamp(state.offset, state.offset + state.bytes.len() as u64);
        state.is_end_sent = false;
        self.changed.notify_all();
        state.connection
    }

    /// The program has taken this number of bytes in all.
    pub(super) fn taken(&self, count: u64) {
        let mut state = self.state.lock();
        let surplus = count.saturating_sub(state.offset).min(state.bytes.len() as u64);
        state.bytes.drain(..surplus as usize);
        state.offset += surplus;
        state.sent = state.sent.max(state.offset);
        self.changed.notify_all();
    }

    /// Waits for the next piece of a connection; `None` once all was sent, or for an earlier connection.
    pub(super) fn next(&self, connection: u64) -> Option<Piece> {
        let mut state = self.state.lock();
        loop {
            if state.connection != connection || state.is_end_sent {
                return None;
            }
            let at = (state.sent - state.offset) as usize;
            if at < state.bytes.len() {
                let piece: Vec<u8> = state.bytes.iter().skip(at).take(MAX_PIECE_BYTES).copied().collect();
                let offset = state.sent;
                state.sent += piece.len() as u64;
                return Some((offset, piece));
            }
            if state.has_ended {
                state.is_end_sent = true;
                return Some((state.sent, Vec::new()));
            }
            self.changed.wait(&mut state);
        }
    }
}

/// The system stops a process in the background that reads from the terminal, even where the program never
/// asks for input.
fn wait_for_foreground() {
    let is_foreground = || match rustix::termios::tcgetpgrp(io::stdin()) {
        Ok(foreground) => foreground == rustix::process::getpgrp(),
        // It is no terminal.
        Err(_) => true,
    };
    while !is_foreground() {
        std::thread::sleep(FOREGROUND_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_is_sent_again_from_where_it_has_arrived() {
        let input = Input::default();
        input.add(b"0123456789");
        input.end();
        let first = input.begin(0);
        assert_eq!(input.next(first), Some((0, b"0123456789".to_vec())));
        input.taken(3);
        let second = input.begin(5);
        assert_eq!(input.next(first), None, "an earlier connection sends nothing");
        assert_eq!(input.next(second), Some((5, b"56789".to_vec())));
        assert_eq!(input.next(second), Some((10, vec![])));
        assert_eq!(input.next(second), None);
        // The end may not have arrived.
        let third = input.begin(10);
        assert_eq!(input.next(third), Some((10, vec![])));
    }
}
