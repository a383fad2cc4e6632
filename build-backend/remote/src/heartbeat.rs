//! Signs of life of a process that works, so that the other end of its connection does not give it up.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

/// A thread that gives signs of life until this is dropped.
pub(crate) struct Heartbeats {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Heartbeats {
    /// Calls `beat` at this interval.
    ///
    /// # Errors
    /// There is no thread for it.
    pub(crate) fn start(
        interval: Duration,
        mut beat: impl FnMut() + Send + 'static,
    ) -> io::Result<Heartbeats> {
        let (end, ended) = mpsc::channel();
        let thread = std::thread::Builder::new().name("apg-heartbeat".to_owned()).spawn(move || {
            while ended.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                beat();
            }
        })?;
        Ok(Heartbeats { end, thread })
    }

    /// Ends them, and waits for the last one.
    pub(crate) fn end(self) {
        drop(self.end);
        let _ = self.thread.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_beats_after_the_end() {
        let (beat, beats) = mpsc::channel();
        let heartbeats = Heartbeats::start(Duration::from_millis(1), move || {
            let _ = beat.send(());
        });
        let heartbeats = heartbeats.expect("a thread");
        for _ in 0..3 {
            beats.recv().expect("a beat");
        }
        heartbeats.end();
        while beats.try_recv().is_ok() {}
        assert_eq!(beats.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }
}
