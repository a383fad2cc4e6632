//! Relay of this process's standard input to place 0.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::cluster::control::{INPUT_WINDOW, ToAgent};
use crate::cluster::session::Session;

/// Bytes of one read.
const PIECE_SIZE: usize = 32 << 10;
/// Pause before a process in the background looks whether it is in the foreground now.
const FOREGROUND_INTERVAL: Duration = Duration::from_millis(200);

/// Starts a thread that reads as the program takes what was read.
pub(super) fn relay(session: &Arc<Session>) -> io::Result<()> {
    let session = Arc::clone(session);
    let work = move || {
        let mut buffer = vec![0; PIECE_SIZE];
        loop {
            wait_for_foreground();
            let count = match io::Read::read(&mut io::stdin(), &mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // An input that cannot be read has ended.
                Err(_) => 0,
            };
            session.reserve(count as u64);
            let sent = session.host(session.leader).send(&ToAgent::Input, &buffer[..count]);
            if count == 0 || sent.is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("apg-input".to_owned()).spawn(work).map(drop)
}

/// The system stops a process in the background that reads from the terminal, even where the program never
/// asks for input.
fn wait_for_foreground() {
    loop {
        // SAFETY: plain system calls.
        let (foreground, own) = unsafe { (libc::tcgetpgrp(libc::STDIN_FILENO), libc::getpgrp()) };
        // Negative: it is no terminal.
        if foreground < 0 || foreground == own {
            return;
        }
        std::thread::sleep(FOREGROUND_INTERVAL);
    }
}

impl Session {
    /// Waits until the program has taken enough of the input before.
    fn reserve(&self, count: u64) {
        let mut state = self.state.lock();
        while state.input_in_flight + count > INPUT_WINDOW {
            self.changed.wait(&mut state);
        }
        state.input_in_flight += count;
    }
}
