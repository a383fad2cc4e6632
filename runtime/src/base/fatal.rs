//! Failures that end the program of the calling thread's place.

use crate::base::place;

/// A failure, which has been reported, ends the program with that status.
pub(crate) fn fail(status: i32) {
    place::current().ending().fail(status);
}

/// The same where the caller cannot go on: its thread is suspended until the process ends.
pub(crate) fn fail_and_suspend(status: i32) -> ! {
    fail(status);
    loop {
        std::thread::park();
    }
}
