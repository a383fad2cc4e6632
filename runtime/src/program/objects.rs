//! Objects of the program's classes that the runtime makes: strings, rails and exceptions, with
//! OutOfMemoryError where the heap is full.

use std::cell::Cell;

use super::loaded::{loaded, table_if_loaded};
use crate::base::fatal::fail_and_suspend;
use crate::heap::{self, Handle, Ref};
use crate::layout::{ExceptionKind, Outcome, Raised, Type};

/// A new object of a class.
pub fn allocate(ty: &'static Type) -> Outcome<Ref> {
    heap::allocate(ty).map_or_else(|| allocate_last(ty, 0), Ok)
}

/// A new rail whose elements are zero.
pub fn allocate_rail(ty: &'static Type, length: i64) -> Outcome<Ref> {
    if length < 0 {
        return Err(exception(ExceptionKind::NegativeArraySize, &length.to_string()));
    }
    heap::allocate_counted(ty, length).map_or_else(|| allocate_last(ty, length), Ok)
}

/// `x10.lang.String`.
fn string_type() -> Option<&'static Type> {
    // SAFETY: null, or a descriptor of the program.
    unsafe { table_if_loaded()?.string_type.as_ref() }
}

/// A new string of that many bytes, which the caller sets.
pub fn string_of_length(bytes: usize) -> Outcome<Ref> {
    let Some(ty) = string_type() else { return Ok(Ref::NULL) };
    if bytes > i32::MAX as usize {
        return Err(exception(ExceptionKind::OutOfMemory, "a String longer than 2^31 - 1 bytes"));
    }
    match heap::allocate_counted(ty, bytes as i64) {
        Some(string) => Ok(string),
        None => allocate_last(ty, bytes as i64),
    }
}

/// The same, with as much room behind it, if there is that much.
pub fn string_with_room(bytes: usize) -> Outcome<Ref> {
    let Some(ty) = string_type() else { return Ok(Ref::NULL) };
    let room = bytes.saturating_mul(2).min(i32::MAX as usize);
    match if room > bytes { heap::allocate_counted(ty, room as i64) } else { None } {
        Some(string) => {
            heap::shorten_string(string, bytes);
            Ok(string)
        }
        None => string_of_length(bytes),
    }
}

/// A new string with this text.
pub fn string(text: impl AsRef<[u8]>) -> Outcome<Ref> {
    let text = text.as_ref();
    let string = string_of_length(text.len())?;
    if !string.is_null() {
        // SAFETY: a new string of that length.
        unsafe { string.elements().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
    }
    Ok(string)
}

/// A Rail[String].
pub fn string_rail(strings: &[String]) -> Outcome<Ref> {
    // SAFETY: null, or a descriptor of the program.
    let Some(ty) = (unsafe { loaded().table.string_rail_type.as_ref() }) else { return Ok(Ref::NULL) };
    let Some(rail) = heap::allocate_counted(ty, strings.len() as i64) else {
        return allocate_last(ty, strings.len() as i64);
    };
    for (index, value) in strings.iter().enumerate() {
        rail.set_element(index, string(value)?);
    }
    Ok(rail)
}

thread_local! {
    /// An OutOfMemoryError is being made in this thread, in the reserve of the heap.
    static USES_RESERVE: Cell<bool> = const { Cell::new(false) };
}

/// When the heap is full: raises OutOfMemoryError; while that is being made, takes what is kept back for it.
pub fn allocate_last(ty: &'static Type, length: i64) -> Outcome<Ref> {
    if !USES_RESERVE.get() {
        let bytes = ty.instance_size(length).map_or("more than 2^63".into(), |bytes| bytes.to_string());
        let message = format!("no room in the heap for {} ({bytes} bytes)", ty.name());
        return Err(exception(ExceptionKind::OutOfMemory, &message));
    }
    if let Some(object) = heap::allocate_in_emergency(ty, length) {
        return Ok(object);
    }
    report!("apg: the heap is full, and there is not even room for an OutOfMemoryError");
    fail_and_suspend(1)
}

/// A new exception.
pub fn exception(kind: ExceptionKind, message: &str) -> Raised {
    make(kind, || string(message))
}

/// A new exception without a message.
pub fn exception_without_message(kind: ExceptionKind) -> Raised {
    make(kind, || Ok(Ref::NULL))
}

fn make(kind: ExceptionKind, argument: impl FnOnce() -> Outcome<Ref>) -> Raised {
    let outer = kind == ExceptionKind::OutOfMemory && !USES_RESERVE.replace(true);
    let result = argument().and_then(|argument| {
        let mut object = Ref::NULL;
        // SAFETY: the program's own entry.
        let failure = unsafe { (loaded().table.make_exception)(kind as u32, argument, &mut object) };
        if failure.is_null() && !object.is_null() { Ok(object) } else { Err(Raised(failure)) }
    });
    if outer {
        USES_RESERVE.set(false);
    }
    match result {
        Ok(object) => Raised(object),
        Err(Raised(failure)) if !failure.is_null() => Raised(failure),
        Err(_) => {
            report!("apg: the program cannot make a {}; this is a defect of apg", kind.class());
            fail_and_suspend(70)
        }
    }
}

/// Whether an object can be raised.
pub fn is_exception(object: Ref) -> bool {
    let class = loaded().throwables.map_or(std::ptr::null(), |rail| rail.element);
    class.is_null() || object.ty().is_subclass_of(class)
}

/// MultipleExceptions of all these.
pub fn multiple(exceptions: &[Handle]) -> Raised {
    let Some(ty) = loaded().throwables else {
        // The program cannot name MultipleExceptions, so it cannot tell the difference.
        return Raised(exceptions[0].get());
    };
    make(ExceptionKind::Multiple, || {
        let count = exceptions.len() as i64;
        let rail = match heap::allocate_counted(ty, count) {
            Some(rail) => rail,
            None => return allocate_last(ty, count),
        };
        for (index, exception) in exceptions.iter().enumerate() {
            rail.set_element(index, exception.get());
        }
        Ok(rail)
    })
}
