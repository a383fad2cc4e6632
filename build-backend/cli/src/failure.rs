//! Failures of commands, and their exit status.

use apg_project::session::LoadFailure;
use apg_runtime::base::plain_text::without_controls;

use crate::output;

/// Why a command failed: printed as "error: ..." with hints below.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The error message.
    pub message: String,
    /// Advice for the user.
    pub hints: Vec<String>,
    /// 1 for the input's fault, 2 for misuse.
    pub status: u8,
    /// Standard output or error is closed.
    pub is_broken_pipe: bool,
    /// The user has read it already.
    pub is_printed: bool,
}

impl Failure {
    /// A fault of the input or the machine (exit status 1).
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hints: Vec::new(),
            status: 1,
            is_broken_pipe: false,
            is_printed: false,
        }
    }

    /// Misuse of the command (exit status 2).
    pub(crate) fn misuse(message: impl Into<String>) -> Self {
        Self { status: 2, ..Self::new(message) }
    }

    /// Prints it, unless that was done before.
    ///
    /// # Errors
    /// Standard error cannot be written.
    pub(crate) fn print(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.is_printed, true) {
            return Ok(());
        }
        output::remark(format_args!("error: {}", without_controls(&self.message)))?;
        let mut hints = self.hints.iter();
        hints.try_for_each(|hint| output::remark(format_args!("  hint: {}", without_controls(hint))))
    }

    /// Adds advice.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// The exit status of a command, or why it failed.
pub(crate) type Outcome = Result<u8, Failure>;

/// A program that was not built.
pub(crate) fn build_failure(error: &apg_toolchain::BuildError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

impl From<LoadFailure> for Failure {
    fn from(failure: LoadFailure) -> Self {
        Self { hints: failure.hints, ..Self::new(failure.message) }
    }
}
