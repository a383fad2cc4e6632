//! The end of a program, as a value: what ends it says with which status, and the thread that runs the
//! program waits for that. Only the command ends the process.

use std::sync::OnceLock;

/// With what a process is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum ExitStatus {
    /// As a number for the system.
    Code(i32),
    /// By this signal, as if nothing had caught it.
    Signal(i32),
}

/// How a program has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `main` has returned, and all activities have ended.
    Completed(i32),
    /// By a failure that has been reported, or on request: nothing more is done for the program.
    Failed(ExitStatus),
}

/// The end of a program at the places of this process. The first one counts, and a failure more than that
/// `main` has returned.
#[derive(Debug, Default)]
pub struct Ending {
    first: OnceLock<End>,
    failure: OnceLock<ExitStatus>,
}

impl Ending {
    /// Of a program that has not ended.
    pub const fn new() -> Ending {
        Ending { first: OnceLock::new(), failure: OnceLock::new() }
    }

    /// The program has ended.
    pub fn set(&self, end: End) {
        if let End::Failed(status) = end {
            self.failure.get_or_init(|| status);
        }
        self.first.get_or_init(|| end);
    }

    /// Waits until the program has ended.
    pub fn wait(&self) -> End {
        *self.first.wait()
    }

    /// The failure of the program, if one has ended it or came while it ended.
    pub(crate) fn failure(&self) -> Option<ExitStatus> {
        self.failure.get().copied()
    }

    /// A failure ends the program with that status.
    pub fn fail(&self, status: i32) {
        self.set(End::Failed(ExitStatus::Code(status)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_end_counts() {
        let ending = Ending::new();
        ending.fail(7);
        ending.set(End::Completed(0));
        assert_eq!(ending.wait(), End::Failed(ExitStatus::Code(7)));
    }

    #[test]
    fn failure_after_the_return_of_main_is_kept() {
        let ending = Ending::new();
        ending.set(End::Completed(0));
        assert_eq!(ending.failure(), None);
        ending.fail(7);
        ending.fail(8);
        assert_eq!((ending.wait(), ending.failure()), (End::Completed(0), Some(ExitStatus::Code(7))));
    }
}
