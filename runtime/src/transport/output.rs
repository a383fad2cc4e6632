//! Output in whole lines when several processes share it.
//!
//! All places of a machine inherit place 0's output, so that what is printed stays in the order in which it was
//! printed. A write of at most [`ATOMIC`] bytes to a pipe is one piece by the rules of POSIX; longer pieces are
//! written under a lock that all places share, and so are short ones while there is more than one place.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Pipes take this much in one piece.
pub const ATOMIC: usize = 4096;

/// A lock between processes: a file without a name that place 0 makes and the others inherit. It is released by the
/// kernel when its holder ends.
#[derive(Debug)]
pub struct SharedLock(File);

/// Held until dropped.
#[derive(Debug)]
pub struct Guard<'a>(&'a File);

impl SharedLock {
    /// A new lock that child processes inherit.
    pub fn create() -> io::Result<SharedLock> {
        // SAFETY: a constant name; the result is checked.
        let fd = unsafe { libc::memfd_create(c"apg-output".as_ptr(), 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that nobody else owns.
        Ok(SharedLock(File::from(unsafe { OwnedFd::from_raw_fd(fd) })))
    }

    /// The number by which a child finds it.
    pub fn descriptor(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// In a child: the lock behind an inherited descriptor. It is opened anew, since a lock belongs to an open
    /// file and not to a process.
    pub fn inherited(descriptor: i32) -> io::Result<SharedLock> {
        File::options().read(true).write(true).open(format!("/proc/self/fd/{descriptor}")).map(SharedLock)
    }

    /// Waits for the lock.
    pub fn lock(&self) -> Guard<'_> {
        // Signals interrupt; after any other failure output is only less tidy.
        while self.0.lock().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {}
        Guard(&self.0)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Collects what is printed and hands it on in whole lines.
pub struct LineWriter<W: Write> {
    out: W,
    pending: Vec<u8>,
    lock: Option<SharedLock>,
}

impl<W: Write> LineWriter<W> {
    /// Writes to `out`, under `lock` if other processes write there too.
    pub fn new(out: W, lock: Option<SharedLock>) -> LineWriter<W> {
        LineWriter { out, pending: Vec::new(), lock }
    }

    fn release(&mut self, count: usize) -> io::Result<()> {
        let guard = self.lock.as_ref().map(SharedLock::lock);
        let result = self.out.write_all(&self.pending[..count]).and_then(|()| self.out.flush());
        drop(guard);
        self.pending.drain(..count);
        result
    }
}

impl<W: Write> Write for LineWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let old = self.pending.len();
        self.pending.extend_from_slice(bytes);
        if let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
            self.release(old + end + 1)?;
        }
        Ok(bytes.len())
    }

    /// Also hands on what is no whole line yet: a prompt, or the end.
    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() { Ok(()) } else { self.release(self.pending.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_go_out_before_a_flush() {
        let mut writer = LineWriter::new(Vec::new(), None);
        writer.write_all(b"one\ntw").expect("memory");
        assert_eq!(writer.out, b"one\n");
        writer.write_all(b"o\nthr").expect("memory");
        assert_eq!(writer.out, b"one\ntwo\n");
        writer.flush().expect("memory");
        assert_eq!(writer.out, b"one\ntwo\nthr");
    }

    #[test]
    fn the_lock_excludes_another_opening_of_it() {
        let lock = SharedLock::create().expect("a lock");
        let other = SharedLock::inherited(lock.descriptor()).expect("the same lock");
        let held = lock.lock();
        assert!(matches!(other.0.try_lock(), Err(std::fs::TryLockError::WouldBlock)));
        drop(held);
        assert!(other.0.try_lock().is_ok());
    }
}
