//! Objects to bytes, from bytes, and copies, with failures as X10 exceptions.

use super::system;
use crate::abi::ExceptionKind;
use crate::memory::{self, ProgramHeap, Ref};
use crate::serialize::read::{self, Input};
use crate::serialize::{Error, TypeTable, copy, write};

/// Appends an object's graph.
pub fn append(out: &mut Vec<u8>, object: Ref) {
    let _hold = memory::hold_collection();
    // SAFETY: an object of the program; nothing is collected meanwhile.
    unsafe { write::graph(out, object.0) };
}

/// An object's graph.
pub fn encode(object: Ref) -> Vec<u8> {
    let mut out = Vec::new();
    append(&mut out, object);
    out
}

/// The next graph of a message, or an exception object.
pub fn decode(input: &mut Input<'_>) -> Result<Ref, Ref> {
    let engine = system().engine();
    let read = {
        let _hold = memory::hold_collection();
        read::graph(input, TypeTable(engine.types()), &ProgramHeap)
    };
    read.map(Ref).map_err(|error| exception(&error))
}

/// A copy of an object and all it refers to, or an exception object.
pub fn copied(object: Ref) -> Result<Ref, Ref> {
    let copied = {
        let _hold = memory::hold_collection();
        // SAFETY: an object of the program; nothing is collected meanwhile.
        unsafe { copy::copy(object.0, &ProgramHeap) }
    };
    copied.map(Ref).map_err(|error| exception(&error))
}

/// The exception for a failed copy.
pub fn exception(error: &Error) -> Ref {
    let kind = match error {
        Error::OutOfMemory { .. } => ExceptionKind::OutOfMemory,
        Error::Malformed { .. } => ExceptionKind::Internal,
    };
    system().engine().exception(kind, &error.to_string())
}
