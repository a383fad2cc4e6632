//! Output of commands. When the reader closes the pipe (`apg explain | head -1`) the command ends by SIGPIPE
//! without a message, as other tools do. The signal itself stays ignored, since connections between places
//! break as well.

use std::fmt::Display;
use std::io::{self, Write};

use crate::failure::Failure;

/// Prints a line to standard output.
pub(crate) fn line(text: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}

/// Prints text to standard output.
pub(crate) fn text(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a line to standard error.
pub(crate) fn remark(text: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stderr().lock(), "{text}")?)
}

impl From<io::Error> for Failure {
    /// Printing failed.
    fn from(error: io::Error) -> Self {
        let failure = Self::new(format!("cannot print: {error}"));
        Self { is_broken_pipe: error.kind() == io::ErrorKind::BrokenPipe, ..failure }
    }
}
