//! References to heap objects.

use std::borrow::Cow;

use super::{Counted, Kind, Object, Type};

/// Bytes before the elements of a rail and the text of a string.
pub const ARRAY_HEADER: usize = std::mem::size_of::<Counted>();

/// A reference to a heap object, or null. The collector keeps alive whatever a stack, a register or a
/// registered root refers to; a `Ref` in other Rust memory does not keep its object alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Ref(pub *mut Object);

// SAFETY: objects are the program's shared memory; X10's own rules order accesses to them.
unsafe impl Send for Ref {}
// SAFETY: objects are the program's shared memory; X10's own rules order accesses to them.
unsafe impl Sync for Ref {}

impl Ref {
    /// `null`.
    pub const NULL: Ref = Ref(std::ptr::null_mut());

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// As a number.
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Its type; it must not be null.
    pub fn ty(self) -> &'static Type {
        debug_assert!(!self.is_null());
        // SAFETY: every heap object starts with its descriptor, which is static data.
        unsafe { &*(*self.0).ty }
    }

    /// Whether it is a string.
    pub fn is_string(self) -> bool {
        !self.is_null() && self.ty().kind == Kind::String as u32
    }

    /// Whether it is a rail.
    pub fn is_rail(self) -> bool {
        !self.is_null() && self.ty().kind == Kind::Rail as u32
    }

    /// The length of a rail or string.
    pub fn length(self) -> usize {
        // SAFETY: rails and strings have this header.
        unsafe { (*self.0.cast::<Counted>()).length as usize }
    }

    /// The text of a string as bytes.
    pub fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: a string's bytes follow its header and never change; the caller keeps it alive.
        unsafe { std::slice::from_raw_parts(self.elements(), self.length()) }
    }

    /// The text of a string; bytes that are not UTF-8 become replacement characters.
    pub fn text<'a>(self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.bytes())
    }

    /// The first element of a rail, or byte of a string.
    pub fn elements(self) -> *mut u8 {
        self.at(ARRAY_HEADER)
    }

    /// The element of a rail of references.
    pub fn element(self, index: usize) -> Ref {
        debug_assert!(index < self.length());
        // SAFETY: in bounds.
        unsafe { self.elements().cast::<Ref>().add(index).read() }
    }

    /// Stores into a rail of references.
    pub fn set_element(self, index: usize, value: Ref) {
        debug_assert!(index < self.length());
        // SAFETY: in bounds.
        unsafe { self.elements().cast::<Ref>().add(index).write(value) }
    }

    /// The address of a field.
    pub fn at(self, offset: usize) -> *mut u8 {
        self.0.cast::<u8>().wrapping_add(offset)
    }

    /// Bytes of this object, header included.
    pub fn size(self) -> usize {
        let ty = self.ty();
        let length = if ty.is_counted() { self.length() as i64 } else { 0 };
        ty.instance_size(length).unwrap_or(0)
    }
}
