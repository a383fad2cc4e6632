//! Stack traces of exceptions, as `CheckedThrowable` makes and prints them.

use super::non_null;
use crate::abi::Outcome;
use crate::base::backtrace::{brief_lines, trace};
use crate::heap::Ref;
use crate::program;

pub(crate) fn stack_capture(frames: Ref) -> Outcome<()> {
    program::capture(non_null(frames)?);
    Ok(())
}

/// The lines of a trace, one string; with repetitions counted instead of shown if it is to be brief.
pub(crate) fn stack_describe(frames: Ref, brief: bool) -> Outcome<Ref> {
    let lines = trace(&program::frames_in(non_null(frames)?));
    let lines = if brief { brief_lines(lines) } else { lines };
    program::string(lines.join("\n").as_bytes())
}
