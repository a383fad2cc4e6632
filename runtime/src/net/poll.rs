//! Readiness of descriptors by `poll(2)`, and reads and writes without waiting.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::{RecvFlags, SendFlags};

/// Waits until one of the descriptors can be read or has ended, or for `timeout`; which of them can. A signal
/// ends the wait early.
pub(crate) fn wait_readable(descriptors: &[BorrowedFd<'_>], timeout: Duration) -> io::Result<Vec<bool>> {
    let mut entries: Vec<PollFd<'_>> =
        descriptors.iter().map(|it| PollFd::from_borrowed_fd(*it, PollFlags::IN)).collect();
    let timeout = Timespec::try_from(timeout).map_err(|_| io::ErrorKind::InvalidInput)?;
    match rustix::event::poll(&mut entries, Some(&timeout)) {
        Ok(_) => Ok(entries.iter().map(|entry| !entry.revents().is_empty()).collect()),
        Err(rustix::io::Errno::INTR) => Ok(vec![false; entries.len()]),
        Err(error) => Err(error.into()),
    }
}

/// Reads what has come, without waiting whatever mode the socket is in: `None` if nothing has, `Some(0)` at
/// the end.
pub(crate) fn receive_available(socket: impl AsFd, memory: &mut [u8]) -> io::Result<Option<usize>> {
    match rustix::net::recv(&socket, memory, RecvFlags::DONTWAIT) {
        Ok((count, _)) => Ok(Some(count)),
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Writes as many bytes as fit without waiting; their number.
pub(crate) fn send_available(stream: &TcpStream, bytes: &[u8]) -> usize {
    // The reader notices the end of the connection.
    rustix::net::send(stream, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL).unwrap_or(0)
}
