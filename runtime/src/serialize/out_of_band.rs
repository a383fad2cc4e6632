//! Out-of-band buffers (as in Python's pickle protocol 5): long rails and strings of plain bytes are sent
//! beside the bytes of a message, from the sender's object to the wire and from there into the receiver's
//! object, without copies in between. The graph has only their types and lengths; the parts follow in the
//! same order.

use crate::heap::{Handle, Ref};
use crate::layout::{Kind, Type};
use crate::serialize::visit;

/// Minimum size of a part in bytes.
pub const MIN_PART_SIZE: usize = 16 << 10;
/// Maximum number of parts of a message; further elements are in the graph.
pub const MAX_PARTS: usize = 256;

/// Elements that are sent.
#[derive(Debug)]
pub struct Part {
    /// Number of the object's type.
    pub ty: u32,
    /// Number of its elements.
    pub length: i64,
    /// Where they are.
    data: *const u8,
    bytes: usize,
    /// Keeps them alive.
    _object: Handle,
}

// SAFETY: points to elements that the handle keeps alive.
unsafe impl Send for Part {}

impl Part {
    /// Elements of an object.
    pub fn new(object: Ref, ty: &Type, length: i64, data: *const u8, bytes: usize) -> Part {
        Part { ty: ty.id, length, data, bytes, _object: Handle::new(object) }
    }

    /// What is sent.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the elements of an object that is alive. A concurrent write races with the message.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }
}

/// A part that has arrived.
#[derive(Debug)]
pub enum Received {
    /// The object that was allocated for it.
    Object(Handle),
    /// Its elements, without room for an object.
    Bytes(Vec<u8>),
}

/// Whether all elements of such an object are plain bytes.
pub fn is_flat(ty: &Type) -> bool {
    ty.kind == Kind::String as u32 || ty.kind == Kind::Rail as u32 && visit::is_flat_rail(ty)
}

/// Whether `bytes` bytes of elements of such an object become a part, if the message may have another one.
pub fn is_part(ty: &Type, bytes: usize) -> bool {
    bytes >= MIN_PART_SIZE && is_flat(ty)
}
