//! Marshalling of object graphs for messages and copies; failures become X10 exceptions. All functions may
//! run code of the program ([`crate::serialize::custom_serialization`]).

use crate::apgas::system::system;
use crate::heap;
use crate::heap::global_refs::Copies;
use crate::heap::{Handle, Ref};
use crate::layout::ExceptionKind;
use crate::layout::Type;
use crate::program;
use crate::serialize::custom_serialization::{CustomValue, Saved};
use crate::serialize::out_of_band::Part;
use crate::serialize::read::{self, Input};
use crate::serialize::write::{self, Unwritten};
use crate::serialize::{Error, ProgramHeap, TypeTable, copy, single};

/// Appends the graph of an object, which may be read once; long elements without references go to `parts`. On
/// an error, returns an exception object, and `out` is unspecified.
pub(crate) fn append(out: &mut Vec<u8>, parts: &mut Vec<Part>, object: Ref) -> Result<(), Ref> {
    // SAFETY: an object of the program, which the caller has.
    if unsafe { single::write(out, object.0) } {
        return Ok(());
    }
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
        let missing: Vec<(CustomValue, Handle)> = {
            let _hold = heap::hold_collection();
            let parts = parts.as_deref_mut();
            // SAFETY: an object of the program; nothing is collected meanwhile.
            match unsafe { write::graph_in_parts(out, parts, object.0, &saved, copies, usize::MAX) } {
                Err(Unwritten::Missing(missing)) => {
                    missing.into_iter().map(|place| (place, Handle::new(Ref(place.owner)))).collect()
                }
                _ => return Ok(()),
            }
        };
        out.truncate(start);
        parts.as_deref_mut().into_iter().for_each(Vec::clear);
        for (place, _owner) in &missing {
            saved.insert(place.at, Handle::new(program::saved(place)?));
        }
    }
}

/// Encodes the graph of an object, which may be read any number of times; or returns an exception object.
pub(crate) fn encode_for_many(object: Ref) -> Result<Vec<u8>, Ref> {
    let mut out = Vec::new();
    append_for(&mut out, None, object, Copies::Many).map(|()| out)
}

/// Encodes the graph of an object, which may be read once; or returns an exception object.
pub(crate) fn encode(object: Ref) -> Result<Vec<u8>, Ref> {
    let mut out = Vec::new();
    append_for(&mut out, None, object, Copies::One).map(|()| out)
}

/// Encodes the graph of an exception; if this fails, the graph of the exception that reports the failure.
pub(crate) fn encode_exception(exception: Ref) -> Vec<u8> {
    encode(exception).or_else(encode).unwrap_or_else(|_| {
        let text = format!("a {} cannot be sent to another place", exception.ty().name());
        encode(system().engine().exception(ExceptionKind::NotSerializable, &text)).unwrap_or_default()
    })
}

/// Decodes the next graph of a message; or returns an exception object.
pub(crate) fn decode(input: &mut Input<'_>) -> Result<Ref, Ref> {
    let start = input.clone();
    let decoded = retry_with_room(
        || {
            *input = start.clone();
            decode_once(input)
        },
        |failure| matches!(failure, Failure::Error(Error::OutOfMemory { .. })),
    );
    decoded.map_err(Failure::exception)
}

/// Repeats an attempt to make a graph while collections are held off. The attempt may find the heap full of
/// garbage; then a collection runs, and the attempt is repeated. Other threads may use all of the freed
/// memory first, so several attempts are made while collections free enough.
fn retry_with_room<R, E>(
    mut attempt: impl FnMut() -> Result<R, E>,
    is_full: impl Fn(&E) -> bool,
) -> Result<R, E> {
    const MAX_COLLECTIONS: usize = 8;
    for _ in 0..MAX_COLLECTIONS {
        let result = attempt();
        if !result.as_ref().is_err_and(&is_full) {
            return result;
        }
        if !heap::make_room() {
            break;
        }
    }
    attempt()
}

/// Decodes the next graph of a message, whose root is the closure of an activity; or returns an exception
/// object.
pub(crate) fn decode_body(input: &mut Input<'_>, value: bool) -> Result<Ref, Ref> {
    let closure = decode(input)?;
    check_body(closure, value).map(|()| closure)
}

/// Checks that an object is the closure of an activity, or of an `at` with a `value`; otherwise returns an
/// exception object. No other object from a message is called.
pub(crate) fn check_body(closure: Ref, value: bool) -> Result<(), Ref> {
    if !closure.is_null() && system().engine().is_body(closure, value) {
        return Ok(());
    }
    Err(exception(&Error::Malformed { expected: "the closure of an `at` or `async`", offset: 0 }))
}

/// Decodes the next graph of a message, which must be an exception; otherwise returns an exception that
/// reports the error.
pub(crate) fn decode_exception(input: &mut Input<'_>) -> Ref {
    match decode(input) {
        Ok(object) if !object.is_null() && system().engine().is_exception(object) => object,
        Ok(_) => exception(&Error::Malformed { expected: "an exception", offset: 0 }),
        Err(exception) => exception,
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
    match begin_to_decode(input).map_err(Failure::Error)? {
        Decoded::Whole(root) => Ok(root),
        Decoded::Pending(rest) => rest.run().map_err(Failure::Raised),
    }
}

/// A decoded graph.
pub(crate) enum Decoded {
    /// All of it.
    Whole(Ref),
    /// Except for constructors of the program that complete it.
    Pending(PendingConstructors),
}

/// Constructors of a graph with custom serialization that have not run yet.
pub(crate) struct PendingConstructors {
    root: Handle,
    /// Values, their owners, and the rails they are made from.
    customs: Vec<(CustomValue, Handle, Handle)>,
}

// SAFETY: the values are owned by this alone.
unsafe impl Send for PendingConstructors {}

impl PendingConstructors {
    /// Runs them: the graph, or an exception object.
    pub(crate) fn run(self) -> Result<Ref, Ref> {
        for (place, _owner, rail) in &self.customs {
            program::restore(place, rail.get())?;
        }
        Ok(self.root.get())
    }
}

/// The part of [`decode`] that neither waits nor runs code of the program. After an error it is as if nothing
/// had been read.
pub(crate) fn begin_to_decode(input: &mut Input<'_>) -> Result<Decoded, Error> {
    if let Some(object) = single::read(input, TypeTable(system().engine().types()), &ProgramHeap) {
        return Ok(Decoded::Whole(Ref(object)));
    }
    let _hold = heap::hold_collection();
    let restored = read::graph(input, TypeTable(system().engine().types()), &ProgramHeap)?;
    if restored.customs.is_empty() {
        return Ok(Decoded::Whole(Ref(restored.root)));
    }
    // SAFETY: just read; nothing is collected meanwhile.
    let order = unsafe { restored.order() };
    let kept = |index: usize| {
        let (place, rail) = restored.customs[index];
        (place, Handle::new(Ref(place.owner)), Handle::new(Ref(rail)))
    };
    let customs = order.into_iter().map(kept).collect();
    Ok(Decoded::Pending(PendingConstructors { root: Handle::new(Ref(restored.root)), customs }))
}

/// The type of the object that a graph begins with.
pub(crate) fn root_type(graph: &[u8]) -> Option<&'static Type> {
    let mut input = Input::new(graph);
    let is_first = input.number().ok()? == 1;
    TypeTable(system().engine().types()).get(input.number().ok()?.checked_sub(1)?).filter(|_| is_first)
}

/// As [`append`], if that neither waits nor runs code of the program, nor takes long; whether it was done.
pub(crate) fn append_if_fast(out: &mut Vec<u8>, parts: &mut Vec<Part>, object: Ref, most: usize) -> bool {
    let start = out.len();
    let _hold = heap::hold_collection();
    // SAFETY: an object of the program; nothing is collected meanwhile.
    let written =
        unsafe { write::graph_in_parts(out, Some(parts), object.0, &Saved::default(), Copies::One, most) };
    if written.is_err() {
        out.truncate(start);
        parts.clear();
    }
    written.is_ok()
}

/// A copy of an object and all it refers to, or an exception object.
pub(crate) fn copied(object: Ref) -> Result<Ref, Ref> {
    match copied_or_encoded(object)? {
        Copied::Copy(copy) => Ok(copy),
        Copied::Bytes(bytes) => decode(&mut Input::new(&bytes)),
    }
}

/// A copy, or what one is made of.
#[derive(Debug)]
pub(crate) enum Copied {
    /// The copy.
    Copy(Ref),
    /// Something copies itself: the graph, to be made by the activity that uses it.
    Bytes(Vec<u8>),
}

/// The first half of [`copied`].
pub(crate) fn copied_or_encoded(object: Ref) -> Result<Copied, Ref> {
    let copy = || {
        let _hold = heap::hold_collection();
        // SAFETY: an object of the program; nothing is collected meanwhile.
        unsafe { copy::copy(object.0, &ProgramHeap) }
    };
    match retry_with_room(copy, |error| matches!(error, Error::OutOfMemory { .. })) {
        Ok(copy) => Ok(Copied::Copy(Ref(copy))),
        Err(Error::Custom) => encode(object).map(Copied::Bytes),
        Err(error) => Err(exception(&error)),
    }
}

/// The exception for a failed copy.
pub(crate) fn exception(error: &Error) -> Ref {
    let kind = match error {
        Error::OutOfMemory { .. } => ExceptionKind::OutOfMemory,
        Error::Malformed { .. } | Error::Custom => ExceptionKind::Internal,
    };
    system().engine().exception(kind, &error.to_string())
}
