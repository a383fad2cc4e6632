//! Globals with static storage, and functions that the program does not contain.

use std::sync::Arc;

use crate::{ExternalId, FunctionId, GlobalId, SignatureId, Ty};

/// An object in memory that exists as long as the program runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name, for messages and symbols.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// No code changes it.
    pub is_constant: bool,
    /// Each thread of the host has one of its own (C17, 6.2.4). Kernels do not use it.
    pub is_thread_private: bool,
    /// Its first value.
    pub init: Initializer,
}

/// A first value of an object in memory, which the compiler knows.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant says what its fields are")]
pub enum Initializer {
    /// Zeros, null pointers.
    Zero,
    /// An integer, Boolean or character.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Of an array of bytes: its first elements, zeros after them. Of a pointer: the address of a constant
    /// array of these bytes and a zero.
    Bytes(Arc<[u8]>),
    /// An address in a global, as a pointer of any type.
    Address { global: GlobalId, bytes: i64 },
    /// The address of a function.
    Function(FunctionId),
    /// The address of an external function.
    External(ExternalId),
    /// Fields of a struct or elements of an array, in order; those that are missing are zero.
    List(Vec<Initializer>),
    /// A field of a union.
    Member { field: u32, value: Box<Initializer> },
}

/// A function that the program is linked with.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// Its symbol.
    pub name: String,
    /// Its type.
    pub signature: SignatureId,
}
