//! Output in whole lines when several processes share it.
//!
//! All places of a machine inherit place 0's output, so that what is printed stays in the order in which it
//! was printed. Each writes whole lines, and holds a lock that all of them share meanwhile: the system keeps
//! only short writes to a ring in one piece.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::OnceLock;

/// A lock between processes: a file without a name that place 0 makes and the others inherit. It is released
/// by the kernel when its holder ends.
#[derive(Debug)]
pub(crate) struct SharedLock(File);

/// Held until dropped.
#[derive(Debug)]
pub(crate) struct Guard<'a>(&'a File);

impl SharedLock {
    /// A new lock that child processes inherit.
    pub(crate) fn create() -> io::Result<SharedLock> {
        // SAFETY: a constant name; the result is checked.
        let fd = unsafe { libc::memfd_create(c"apg-output".as_ptr(), 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that nobody else owns.
        Ok(SharedLock(File::from(unsafe { OwnedFd::from_raw_fd(fd) })))
    }

    /// The number by which a child finds it.
    pub(crate) fn descriptor(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// In a child: the lock behind an inherited descriptor. It is opened anew, since a lock belongs to an
    /// open file and not to a process.
    pub(crate) fn inherited(descriptor: i32) -> io::Result<SharedLock> {
        File::options().read(true).write(true).open(format!("/proc/self/fd/{descriptor}")).map(SharedLock)
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self) -> Guard<'_> {
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

static SHARED: OnceLock<SharedLock> = OnceLock::new();

/// Place 0 of several: makes the lock. The number by which the others find it.
pub(crate) fn offer() -> io::Result<i32> {
    let lock = SharedLock::create()?;
    Ok(SHARED.get_or_init(|| lock).descriptor())
}

/// Another place: uses place 0's lock, by its number from [`offer`].
pub(crate) fn share(descriptor: i32) -> io::Result<()> {
    let lock = SharedLock::inherited(descriptor)?;
    SHARED.get_or_init(|| lock);
    Ok(())
}

/// To be held while writing output that must not be interleaved; none if there is one place.
pub(crate) fn exclusive() -> Option<Guard<'static>> {
    SHARED.get().map(SharedLock::lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_excludes_other_openings() {
        let lock = SharedLock::create().expect("a lock");
        let other = SharedLock::inherited(lock.descriptor()).expect("the same lock");
        let held = lock.lock();
        assert!(matches!(other.0.try_lock(), Err(std::fs::TryLockError::WouldBlock)));
        drop(held);
        assert!(other.0.try_lock().is_ok());
    }
}
