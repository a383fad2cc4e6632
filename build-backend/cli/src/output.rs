//! What commands print. Nobody may be reading any more (`apg explain | head -1`): then the command ends as other tools do,
//! by SIGPIPE and without a word. (The signal itself stays ignored: connections between places break too.)

use std::fmt::Display;
use std::io::{self, Write};

use super::Failure;

/// Prints a line to standard output.
pub fn line(text: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{text}")?)
}

/// Prints text to standard output.
pub fn text(text: impl Display) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    write!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a line to standard error.
pub fn remark(text: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stderr().lock(), "{text}")?)
}

impl From<io::Error> for Failure {
    /// Printing failed.
    fn from(error: io::Error) -> Self {
        let failure = Self::new(format!("cannot print: {error}"));
        Self { nobody_reads: error.kind() == io::ErrorKind::BrokenPipe, ..failure }
    }
}
