//! Long rails and strings of plain bytes, which go beside the bytes of a message: from the sender's object to
//! the pipe, and from there into the receiver's, without being copied in between. In the graph are only their
//! types and lengths; their parts follow in the same order.

use crate::heap::{Handle, Ref};
use crate::layout::{Kind, Type};
use crate::serialize::visit;

/// The least that is worth it, in bytes.
pub const LEAST: usize = 16 << 10;
/// Most parts of a message; further ones go the usual way.
pub const MOST: usize = 256;

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

// SAFETY: where elements are that it keeps alive.
unsafe impl Send for Part {}

impl Part {
    /// Elements of an object.
    pub fn new(object: Ref, ty: &Type, length: i64, data: *const u8, bytes: usize) -> Part {
        Part { ty: ty.id, length, data, bytes, _object: Handle::new(object) }
    }

    /// What is sent.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the elements of an object that is alive. Who writes them meanwhile races with the message.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }
}

/// A part that has come.
#[derive(Debug)]
pub enum Received {
    /// The object, as it was made for the part.
    Object(Handle),
    /// There was no room for one: its elements.
    Bytes(Vec<u8>),
}

/// Whether all elements of such an object are plain bytes.
pub fn is_flat(ty: &Type) -> bool {
    ty.kind == Kind::String as u32 || ty.kind == Kind::Rail as u32 && visit::is_flat_rail(ty)
}

/// Whether so many bytes of elements of such an object are a part, if a message has one more.
pub fn is_part(ty: &Type, bytes: usize) -> bool {
    bytes >= LEAST && is_flat(ty)
}
