//! Relay of the places' output to the launcher, in whole lines where they come in time. All places of a host
//! share two pipes and a lock ([`crate::base::output_lock`]), so that their lines stay in the order in which
//! they were printed.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::place::PlaceId;
use crate::cluster::agent::Launcher;
use crate::cluster::control::FromAgent;
use crate::net::poll::wait_readable;

/// Bytes of one read, and of a line that is kept back at most.
const MAX_PENDING_BYTES: usize = 64 << 10;
/// Bytes that a pipe holds, as pipe(7) says.
const PIPE_BYTES: usize = 64 << 10;
/// How long the rest of a line may take; a prompt has none.
const LINE_TIMEOUT: Duration = Duration::from_millis(100);
/// Nothing has to be done meanwhile.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Where the ends of places are reported.
pub(super) struct Ends {
    sender: Sender<(PlaceId, ExitStatus)>,
    wake: Mutex<PipeWriter>,
}

impl Ends {
    /// A place's process has been reaped.
    pub(super) fn place_has_ended(&self, place: PlaceId, status: ExitStatus) {
        // Without its reader the places are about to be ended.
        let _ = self.sender.send((place, status));
        let _ = self.wake.lock().write_all(&[1]);
    }
}

/// A stream of output.
struct Stream {
    /// 1 or 2.
    number: u8,
    pipe: PipeReader,
    /// The beginning of a line.
    pending: Vec<u8>,
}

/// What a place leaves behind at its end.
pub(super) struct Legacy {
    /// On which it says that it ends in order.
    pub farewell: PipeReader,
    /// Its part of the profile, if it records one.
    pub profile: Option<File>,
}

/// Reads all output of the host's places.
pub(super) struct Relay {
    launcher: Launcher,
    streams: [Stream; 2],
    /// What the places that run leave behind.
    legacies: Vec<(PlaceId, Legacy)>,
    ends: Receiver<(PlaceId, ExitStatus)>,
    wake: PipeReader,
    buffer: Vec<u8>,
}

impl Relay {
    /// A relay of output, errors and what places leave behind, and where the places' ends are to be reported.
    pub(super) fn new(
        pipes: [PipeReader; 2],
        legacies: Vec<(PlaceId, Legacy)>,
        launcher: Launcher,
    ) -> io::Result<(Relay, Ends)> {
        let farewells = legacies.iter().map(|(_, legacy)| &legacy.farewell);
        pipes.iter().chain(farewells).try_for_each(set_nonblocking)?;
        let [output, errors] = pipes;
        let stream = |number, pipe| Stream { number, pipe, pending: Vec::new() };
        let streams = [stream(1, output), stream(2, errors)];
        let (wake, waker) = io::pipe()?;
        set_nonblocking(&wake)?;
        let (sender, ends) = channel();
        let buffer = vec![0; MAX_PENDING_BYTES];
        let relay = Relay { launcher, streams, legacies, ends, wake, buffer };
        Ok((relay, Ends { sender, wake: Mutex::new(waker) }))
    }

    /// Relays until all places have ended.
    ///
    /// # Errors
    /// The launcher takes no more.
    pub(super) fn run(mut self) -> io::Result<()> {
        while !self.legacies.is_empty() {
            self.relay_once()?;
        }
        Ok(())
    }

    fn relay_once(&mut self) -> io::Result<()> {
        let pipes = self.streams.iter().map(|stream| stream.pipe.as_fd());
        let descriptors: Vec<_> = std::iter::once(self.wake.as_fd()).chain(pipes).collect();
        let has_pending = self.streams.iter().any(|stream| !stream.pending.is_empty());
        let ready = wait_readable(&descriptors, if has_pending { LINE_TIMEOUT } else { MAX_WAIT })?;
        if !ready.contains(&true) {
            // Prompts, and lines whose rest does not come.
            return self.streams.iter_mut().try_for_each(|stream| stream.flush(&self.launcher));
        }
        for (stream, is_ready) in self.streams.iter_mut().zip(&ready[1..]) {
            if *is_ready {
                stream.read(&mut self.buffer, &self.launcher)?;
            }
        }
        if ready[0] {
            let _ = self.wake.read(&mut self.buffer);
            while let Ok((place, status)) = self.ends.try_recv() {
                self.end(place, status)?;
            }
        }
        Ok(())
    }

    /// What a place has left behind, and its end.
    fn end(&mut self, place: PlaceId, status: ExitStatus) -> io::Result<()> {
        for stream in &mut self.streams {
            // What was in the pipe when the place ended, and no more: others may print without end.
            for _ in 0..=PIPE_BYTES / MAX_PENDING_BYTES {
                if !stream.has_more()? {
                    break;
                }
                stream.read(&mut self.buffer, &self.launcher)?;
            }
            stream.flush(&self.launcher)?;
        }
        let at = self.legacies.iter().position(|(other, _)| *other == place);
        let mut legacy = at.map(|at| self.legacies.swap_remove(at).1);
        let in_order =
            legacy.as_mut().is_some_and(|it| it.farewell.read(&mut [0]).is_ok_and(|count| count == 1));
        if let Some(profile) = legacy.and_then(|it| it.profile) {
            self.send_profile(place, profile)?;
        }
        let ended = FromAgent::Ended { place: place.0, status: status.into_raw(), in_order };
        self.launcher.send(&ended, &[])
    }

    fn send_profile(&mut self, place: PlaceId, mut profile: File) -> io::Result<()> {
        profile.rewind()?;
        loop {
            match profile.read(&mut self.buffer)? {
                0 => return Ok(()),
                count => self.launcher.send(&FromAgent::Profile { place: place.0 }, &self.buffer[..count])?,
            }
        }
    }
}

impl Stream {
    /// Reads once, and sends what is complete.
    fn read(&mut self, buffer: &mut [u8], launcher: &Launcher) -> io::Result<()> {
        // There is no end: the agent keeps the other ends of the pipes, too.
        let count = match self.pipe.read(buffer) {
            Ok(count) => count,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.pending.extend_from_slice(&buffer[..count]);
        let whole = match self.pending.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if self.pending.len() >= MAX_PENDING_BYTES => self.pending.len(),
            None => 0,
        };
        self.send(whole, launcher)
    }

    /// Whether something can be read now.
    fn has_more(&self) -> io::Result<bool> {
        Ok(wait_readable(&[self.pipe.as_fd()], Duration::ZERO)?[0])
    }

    /// Sends what there is.
    fn flush(&mut self, launcher: &Launcher) -> io::Result<()> {
        self.send(self.pending.len(), launcher)
    }

    fn send(&mut self, count: usize, launcher: &Launcher) -> io::Result<()> {
        if count > 0 {
            let message = FromAgent::Output { stream: self.number };
            launcher.send(&message, &self.pending[..count])?;
            self.pending.drain(..count);
        }
        Ok(())
    }
}

fn set_nonblocking(pipe: &PipeReader) -> io::Result<()> {
    // SAFETY: an open descriptor, and no pointers.
    if unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
