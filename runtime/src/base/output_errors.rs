//! Output that could not be written: said once for each file or stream, and counted in the exit status, as
//! `close_stdout` of the GNU tools does.

use std::fmt::Display;
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::base::place::{PlaceId, here};

/// Exit status of a place other than 0 whose output was lost and that otherwise succeeded (`EX_IOERR` of
/// sysexits.h).
pub const PLACE_STATUS: i32 = 74;

static LOST: AtomicBool = AtomicBool::new(false);
/// Names of what was reported.
static REPORTED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Records that output to `target` was lost, and says so on standard error the first time.
pub fn report(target: &str, error: &dyn Display) {
    LOST.store(true, Ordering::SeqCst);
    let mut reported = REPORTED.lock();
    if !reported.iter().any(|known| known == target) {
        reported.push(target.to_owned());
        let here = here();
        let place = if here > PlaceId::ZERO { format!("{here}: ") } else { String::new() };
        report!("apg: {place}cannot write {target}: {error}; output is lost");
    }
}

/// Another place has ended with [`PLACE_STATUS`], and has said why.
pub fn record_other_place() {
    LOST.store(true, Ordering::SeqCst);
}

/// The exit status of a process that would end with `status`: success becomes `failure` if output was lost.
pub fn exit_status(status: i32, failure: i32) -> i32 {
    if status == 0 && LOST.load(Ordering::SeqCst) { failure } else { status }
}

/// Writes all bytes to a descriptor, waiting where it is in non-blocking mode and full.
///
/// # Errors
/// The first error of `write(2)` other than `EINTR` and `EAGAIN`; the bytes before it were written.
pub fn write_fully(descriptor: RawFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        // SAFETY: the pointer and length are those of a live slice.
        let count = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(count) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error if error.kind() == io::ErrorKind::WouldBlock => wait_until_writable(descriptor),
                error => return Err(error),
            },
        }
    }
    Ok(())
}

fn wait_until_writable(descriptor: RawFd) {
    let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one initialised entry. A failure or signal only makes the caller try again.
    unsafe { libc::poll(&raw mut poll, 1, -1) };
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn write_fully_waits_for_a_full_non_blocking_pipe() {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        // SAFETY: a descriptor of this test.
        assert_eq!(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) }, 0);
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|it| it as u8).collect();
        let expected = bytes.clone();
        let thread = std::thread::spawn(move || write_fully(writer.as_raw_fd(), &bytes));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).expect("readable");
        thread.join().expect("no panic").expect("written");
        assert_eq!(read, expected);
    }

    #[test]
    fn full_device_is_an_error() {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("the device");
        let error = write_fully(full.as_raw_fd(), b"x").expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
