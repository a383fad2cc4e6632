//! Copies of object graphs, within a place and between places, driven by type descriptors.
//!
//! One visitor of an object's slots ([`visit`]) has three users: [`copy`] makes a copy at the same place
//! (what `at (here)` means), [`mod@write`] writes a graph as bytes and [`mod@read`] makes the graph at
//! another place. Sharing and cycles are kept, transient fields arrive zero, and values that name
//! something by number (GlobalRef, GlobalRail, PlaceLocalHandle, Place) are plain bytes and so need nothing
//! special.
//!
//! A type may have custom serialization ([`custom_serialization`]).
//!
//! # Encoding
//! Numbers are LEB128. A graph is the reference of its root, then its objects in the order in which the
//! references name them, ended by a zero. A reference is 0 for null, else 1 + the object's index. An object
//! is 1 + the index of its type, the length if it has one, then its slots in the order of its fields:
//! references as above, all else as the bytes of memory; for a value with custom serialization, the reference
//! of its rail. Both ends run the same program on the same architecture; the transport checks this before the
//! first message.

pub mod copy;
pub mod custom_serialization;
pub mod out_of_band;
pub mod read;
pub mod single;
#[cfg(test)]
mod tests;
pub mod visit;
pub mod write;

use crate::heap;
use crate::layout::{Object, Type};

/// Where new objects come from. Callers of [`copy`] or [`read`] hold off the collector until the
/// result is reachable from a root: objects that are still being linked are known only to the copier.
pub trait Heap {
    /// A new instance whose memory is zero but for header and length, or `None` if there is no memory left.
    fn allocate(&self, ty: &'static Type, length: i64) -> Option<*mut Object>;

    /// The same with arbitrary elements: they are written at once, and hold no references.
    fn allocate_unwritten(&self, ty: &'static Type, length: i64) -> Option<*mut Object> {
        self.allocate(ty, length)
    }
}

/// The heap of this place ([`crate::heap`]).
#[derive(Clone, Copy, Debug)]
pub struct ProgramHeap;

impl Heap for ProgramHeap {
    fn allocate(&self, ty: &'static Type, length: i64) -> Option<*mut Object> {
        heap::allocate_counted(ty, length).map(|object| object.0)
    }

    fn allocate_unwritten(&self, ty: &'static Type, length: i64) -> Option<*mut Object> {
        heap::allocate_for_copy(ty, length).map(|object| object.0)
    }
}

/// The program's types by number; the same at every place.
#[derive(Clone, Copy, Debug)]
pub struct TypeTable(pub &'static [&'static Type]);

impl TypeTable {
    /// The type with this number.
    pub fn get(&self, id: u64) -> Option<&'static Type> {
        self.0.get(usize::try_from(id).ok()?).copied()
    }
}

/// Why a graph could not be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The heap is full.
    OutOfMemory {
        /// X10 name of the type that was to be made.
        what: String,
        /// Bytes requested.
        bytes: u64,
    },
    /// A value with custom serialization cannot be copied.
    Custom,
    /// The bytes are not a graph of this program: what was wrong, and where.
    Malformed {
        /// What was expected.
        expected: &'static str,
        /// Offset in the message.
        offset: usize,
    },
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::OutOfMemory { what, bytes } => {
                write!(f, "no memory for a copy of {what} ({bytes} bytes)")
            }
            Error::Custom => f.write_str("an object copies itself"),
            Error::Malformed { expected, offset } => {
                write!(f, "a message from another place is damaged: expected {expected} at byte {offset}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::InvalidData, error)
    }
}

fn allocate(heap: &dyn Heap, ty: &'static Type, length: i64) -> Result<*mut Object, Error> {
    allocated(ty, length, || heap.allocate(ty, length))
}

fn allocate_unwritten(heap: &dyn Heap, ty: &'static Type, length: i64) -> Result<*mut Object, Error> {
    allocated(ty, length, || heap.allocate_unwritten(ty, length))
}

fn allocated(
    ty: &'static Type,
    length: i64,
    allocate: impl FnOnce() -> Option<*mut Object>,
) -> Result<*mut Object, Error> {
    let out_of_memory = || Error::OutOfMemory {
        what: ty.name(),
        bytes: ty.instance_size(length).map_or(u64::MAX, |size| size as u64),
    };
    ty.instance_size(length).ok_or_else(out_of_memory)?;
    allocate().ok_or_else(out_of_memory)
}
