//! Objects to bytes, from bytes, and copies, with failures as X10 exceptions. The program's own code may run in all of them
//! ([`crate::serialize::custom`]).

use super::system;
use crate::abi::ExceptionKind;
use crate::memory::globals::Copies;
use crate::memory::{self, Handle, ProgramHeap, Ref};
use crate::program;
use crate::serialize::custom::{Place, Restored, Saved};
use crate::serialize::parts::Part;
use crate::serialize::read::{self, Input};
use crate::serialize::{Error, TypeTable, copy, write};

/// Appends an object's graph, to be read once, with its long plain elements in parts; or nothing of use, and an exception object.
pub fn append(out: &mut Vec<u8>, parts: &mut Vec<Part>, object: Ref) -> Result<(), Ref> {
    append_for(out, Some(parts), object, Copies::One)
}

fn append_for(
    out: &mut Vec<u8>,
    mut parts: Option<&mut Vec<Part>>,
    object: Ref,
    copies: Copies,
) -> Result<(), Ref> {
    let start = out.len();
    let mut saved = Saved::default();
    loop {
        let missing: Vec<(Place, Handle)> = {
            let _hold = memory::hold_collection();
            // SAFETY: an object of the program; nothing is collected meanwhile.
            match unsafe { write::graph_in_parts(out, parts.as_deref_mut(), object.0, &saved, copies) } {
                Ok(()) => return Ok(()),
                Err(missing) => {
                    missing.into_iter().map(|place| (place, Handle::new(Ref(place.owner)))).collect()
                }
            }
        };
        out.truncate(start);
        parts.as_deref_mut().into_iter().for_each(Vec::clear);
        for (place, _owner) in &missing {
            saved.insert(place.at, Handle::new(program::saved(place)?));
        }
    }
}

/// An object's graph, to be read any number of times, or an exception object.
pub fn encode_for_many(object: Ref) -> Result<Vec<u8>, Ref> {
    let mut out = Vec::new();
    append_for(&mut out, None, object, Copies::Many).map(|()| out)
}

/// An object's graph, to be read once, or an exception object.
pub fn encode(object: Ref) -> Result<Vec<u8>, Ref> {
    let mut out = Vec::new();
    append_for(&mut out, None, object, Copies::One).map(|()| out)
}

/// An exception's graph; if that cannot be sent, that of the exception which says so.
pub fn encode_exception(exception: Ref) -> Vec<u8> {
    encode(exception).or_else(encode).unwrap_or_else(|_| {
        let text = format!("a {} cannot be sent to another place", exception.ty().name());
        encode(system().engine().exception(ExceptionKind::NotSerializable, &text)).unwrap_or_default()
    })
}

/// The next graph of a message, or an exception object.
pub fn decode(input: &mut Input<'_>) -> Result<Ref, Ref> {
    let start = input.clone();
    match decode_once(input) {
        Err(Failure::Error(Error::OutOfMemory { .. })) => {
            memory::make_room();
            *input = start;
            decode_once(input).map_err(Failure::exception)
        }
        result => result.map_err(Failure::exception),
    }
}

/// Why a graph was not made.
enum Failure {
    Error(Error),
    Raised(Ref),
}

impl Failure {
    fn exception(self) -> Ref {
        match self {
            Failure::Error(error) => exception(&error),
            Failure::Raised(raised) => raised,
        }
    }
}

fn decode_once(input: &mut Input<'_>) -> Result<Ref, Failure> {
    let engine = system().engine();
    let (root, customs) = {
        let _hold = memory::hold_collection();
        match read::graph(input, TypeTable(engine.types()), &ProgramHeap) {
            Ok(Restored { root, customs }) if customs.is_empty() => return Ok(Ref(root)),
            Ok(restored) => {
                // SAFETY: just read; nothing is collected meanwhile.
                let order = unsafe { restored.order() };
                let kept = |index: usize| {
                    let (place, rail) = restored.customs[index];
                    (place, Handle::new(Ref(place.owner)), Handle::new(Ref(rail)))
                };
                let customs: Vec<_> = order.into_iter().map(kept).collect();
                (Handle::new(Ref(restored.root)), customs)
            }
            Err(error) => return Err(Failure::Error(error)),
        }
    };
    for (place, _owner, rail) in &customs {
        program::restore(place, rail.get()).map_err(Failure::Raised)?;
    }
    Ok(root.get())
}

/// A copy of an object and all it refers to, or an exception object.
pub fn copied(object: Ref) -> Result<Ref, Ref> {
    match copied_or_encoded(object)? {
        Copied::Copy(copy) => Ok(copy),
        Copied::Bytes(bytes) => decode(&mut Input::new(&bytes)),
    }
}

/// A copy, or what one is made of.
#[derive(Debug)]
pub enum Copied {
    /// The copy.
    Copy(Ref),
    /// Something copies itself: the graph, to be made by the activity that uses it.
    Bytes(Vec<u8>),
}

/// The first half of [`copied`].
pub fn copied_or_encoded(object: Ref) -> Result<Copied, Ref> {
    let copy = || {
        let _hold = memory::hold_collection();
        // SAFETY: an object of the program; nothing is collected meanwhile.
        unsafe { copy::copy(object.0, &ProgramHeap) }
    };
    let mut copied = copy();
    if let Err(Error::OutOfMemory { .. }) = copied {
        memory::make_room();
        copied = copy();
    }
    match copied {
        Ok(copy) => Ok(Copied::Copy(Ref(copy))),
        Err(Error::Custom) => encode(object).map(Copied::Bytes),
        Err(error) => Err(exception(&error)),
    }
}

/// The exception for a failed copy.
pub fn exception(error: &Error) -> Ref {
    let kind = match error {
        Error::OutOfMemory { .. } => ExceptionKind::OutOfMemory,
        Error::Malformed { .. } | Error::Custom => ExceptionKind::Internal,
    };
    system().engine().exception(kind, &error.to_string())
}
