//! The native members of the class library: one module for each kind, listed in [`crate::abi::ENTRIES`].

pub(crate) mod activities;
pub(crate) mod atomics;
pub(crate) mod backtrace;
pub(crate) mod characters;
pub(crate) mod clocks;
pub(crate) mod collectives;
pub(crate) mod console;
pub(crate) mod devices;
pub(crate) mod files;
pub(crate) mod format;
pub(crate) mod live_views;
pub(crate) mod locks;
pub(crate) mod numbers;
pub(crate) mod objects;
pub(crate) mod places;
pub(crate) mod serializer;
pub(crate) mod slots;
pub(crate) mod string_concat;
pub(crate) mod strings;
pub(crate) mod system;
pub(crate) mod teams;
pub(crate) mod textures;

use crate::abi::{ExceptionKind, Outcome, Raised};
use crate::heap::Ref;
use crate::program;

/// An exception as the result of an entry.
pub(crate) fn raise<T>(kind: ExceptionKind, message: &str) -> Outcome<T> {
    Err(program::exception(kind, message))
}

/// The exception, unless it is null.
pub(crate) fn outcome(exception: Ref) -> Outcome<()> {
    if exception.is_null() { Ok(()) } else { Err(Raised(exception)) }
}

/// The receiver or argument, which must not be null.
pub(crate) fn non_null(object: Ref) -> Outcome<Ref> {
    if object.is_null() { raise(ExceptionKind::NullPointer, "null") } else { Ok(object) }
}

/// The text of a string, which must not be null.
pub(crate) fn text_of<'a>(string: Ref) -> Outcome<std::borrow::Cow<'a, str>> {
    Ok(non_null(string)?.text())
}

/// The bytes of `count` elements of a rail from `start`; raises if they are not all there.
pub(crate) fn range_of(rail: Ref, start: i64, count: i64) -> Outcome<(*mut u8, usize)> {
    let rail = non_null(rail)?;
    let ty = rail.ty();
    let length = rail.length() as i64;
    if !rail.is_rail() {
        return raise(ExceptionKind::IllegalArgument, &format!("{} is not a Rail", ty.name()));
    }
    if start < 0 || count < 0 || start.checked_add(count).is_none_or(|end| end > length) {
        let message = format!("{count} elements from index {start} on are not within a Rail of {length}");
        return raise(ExceptionKind::ArrayIndexOutOfBounds, &message);
    }
    let size = ty.element_size as usize;
    Ok((rail.elements().wrapping_add(start as usize * size), count as usize * size))
}

#[cfg(test)]
mod tests;
