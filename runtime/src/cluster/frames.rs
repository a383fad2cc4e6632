//! Framing of control channels: length-prefixed frames over standard input and output or a socket.
//!
//! A frame is the length of its message and of its payload (four bytes each, little endian), the message in
//! postcard's wire format, and the payload, which is the bulk data of some messages. Before the first frame
//! an agent writes a line with [`marker`], which tells it from what login scripts print.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::process::ChildStdout;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::net::frame::encoding::read_bytes;
use crate::net::poll::wait_readable;

/// Maximum length of a message; arguments and environment of a program are the longest part.
const MAX_MESSAGE: u32 = 16 << 20;
/// Maximum length of a payload.
pub const MAX_PAYLOAD: u32 = 1 << 20;
/// The line with which an agent of this identity begins, without what stands behind it.
pub fn marker(identity: &str) -> String {
    format!("apg-agent {identity}: ")
}

/// Writes a frame.
///
/// # Errors
/// Writing has failed, or the message or its payload is longer than its maximum.
pub fn write_frame(out: &mut dyn Write, message: &impl Serialize, payload: &[u8]) -> io::Result<()> {
    let message = postcard::to_allocvec(message).map_err(io::Error::other)?;
    let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "the arguments and variables are too long");
    let length = u32::try_from(message.len()).ok().filter(|it| *it <= MAX_MESSAGE).ok_or_else(too_long)?;
    let payload_length =
        u32::try_from(payload.len()).ok().filter(|it| *it <= MAX_PAYLOAD).ok_or_else(too_long)?;
    let mut frame = Vec::with_capacity(8 + message.len() + payload.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&payload_length.to_le_bytes());
    frame.extend_from_slice(&message);
    frame.extend_from_slice(payload);
    out.write_all(&frame)?;
    out.flush()
}

/// Reads a frame: the message and its payload. `None` at the end. Lengths are checked before memory is taken.
///
/// # Errors
/// Reading has failed, or the frame is malformed.
pub fn read_frame<Message: DeserializeOwned>(input: &mut dyn Read) -> io::Result<Option<(Message, Vec<u8>)>> {
    let mut lengths = [0; 8];
    match input.read(&mut lengths[..1])? {
        0 => return Ok(None),
        _ => input.read_exact(&mut lengths[1..])?,
    }
    let [m0, m1, m2, m3, p0, p1, p2, p3] = lengths;
    let (length, payload) = (u32::from_le_bytes([m0, m1, m2, m3]), u32::from_le_bytes([p0, p1, p2, p3]));
    let malformed = |text: &'static str| io::Error::new(io::ErrorKind::InvalidData, text);
    if length > MAX_MESSAGE || payload > MAX_PAYLOAD {
        return Err(malformed("a frame that is too long"));
    }
    let message = read_bytes(input, u64::from(length))?;
    let (message, rest) =
        postcard::take_from_bytes(&message).map_err(|_| malformed("a message that is not understood"))?;
    if !rest.is_empty() {
        return Err(malformed("a message with more behind it"));
    }
    Ok(Some((message, read_bytes(input, u64::from(payload))?)))
}

/// A stream of frames that can be waited for.
pub trait Source: Read + AsFd + Send {
    /// Whether bytes can be read although the descriptor has none: they were decrypted with earlier ones.
    fn has_buffered(&self) -> bool {
        false
    }
}

impl Source for File {}
impl Source for PipeReader {}
impl Source for UnixStream {}
impl Source for ChildStdout {}

impl<Stream: Source + ?Sized> Source for &mut Stream {
    fn has_buffered(&self) -> bool {
        (**self).has_buffered()
    }
}

impl<Stream: Source + ?Sized> Source for Box<Stream> {
    fn has_buffered(&self) -> bool {
        (**self).has_buffered()
    }
}

/// Reads from a descriptor whose other end has to give a sign of life within a time.
pub struct WatchedReader<Stream> {
    stream: Stream,
    /// `None` waits forever.
    pub silence: Option<Duration>,
}

impl<Stream: Source> WatchedReader<Stream> {
    /// Reads from `stream`.
    #[must_use]
    pub fn new(stream: Stream, silence: Option<Duration>) -> WatchedReader<Stream> {
        WatchedReader { stream, silence }
    }

    fn wait(&self) -> io::Result<()> {
        /// Nothing has to be noticed meanwhile but a signal's interruption.
        const MAX_WAIT: Duration = Duration::from_secs(3600);
        if self.stream.has_buffered() {
            return Ok(());
        }
        let deadline = self.silence.map(|silence| Instant::now() + silence);
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let descriptor: BorrowedFd<'_> = self.stream.as_fd();
            if wait_readable(&[descriptor], left.unwrap_or(MAX_WAIT))?[0] {
                return Ok(());
            }
            if left.is_some_and(|left| left.is_zero()) {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
    }
}

impl<Stream: Source> Read for WatchedReader<Stream> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            self.wait()?;
            match self.stream.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}
