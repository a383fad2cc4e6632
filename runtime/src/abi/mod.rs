//! The C ABI between a compiled program and the runtime: one versioned table of functions each way.
//!
//! [`entries`] declares every runtime entry once. Three things are derived from that list: the table that the
//! runtime hands to the program ([`table`]), the list that the compiler checks calls against ([`ENTRIES`]),
//! and the C header that generated code includes ([`HEADER`]; a test fails if the checked-in copy is stale).
//!
//! Two kinds of entry exist. A *plain* one is called directly. A *raising* one returns the X10 exception
//! object, or null when it succeeded, and writes its value through a last pointer parameter; the header wraps
//! it in an inline function that throws. No C++ exception ever crosses a Rust frame: the program's own
//! entries catch everything they raise and return it in the same way.

mod bind;
mod entries;
mod header;

pub use bind::bind_program;
pub use entries::{ENTRIES, Runtime, table};
pub use header::generate as generate_header;

use crate::heap::Ref;
pub use crate::layout::{ExceptionKind, Outcome, PROGRAM_SYMBOL, Raised, VERSION, names};
use crate::layout::{Kernel, StaticState, Type};

/// The C header, for the compiler to place next to generated code.
pub const HEADER: &str = include_str!("../../include/apg.h");

/// A type in the signature of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// No value.
    Void,
    /// 0 or 1, one byte.
    Bool,
    /// Signed 8 bits.
    I8,
    /// Signed 16 bits.
    I16,
    /// Signed 32 bits.
    I32,
    /// Signed 64 bits.
    I64,
    /// Unsigned 8 bits.
    U8,
    /// Unsigned 16 bits.
    U16,
    /// Unsigned 32 bits.
    U32,
    /// Unsigned 64 bits.
    U64,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// A Unicode code point, 4 bytes.
    Char,
    /// A heap object of any class, or null.
    Ref,
    /// A pointer to data of generated code (descriptors, kernels, text constants), with its C type.
    Pointer(&'static str),
}

impl Ty {
    /// The C type.
    pub fn c(self) -> &'static str {
        match self {
            Ty::Void => "void",
            Ty::Bool => "bool",
            Ty::I8 => "apg_i8",
            Ty::I16 => "apg_i16",
            Ty::I32 => "apg_i32",
            Ty::I64 => "apg_i64",
            Ty::U8 => "apg_u8",
            Ty::U16 => "apg_u16",
            Ty::U32 => "apg_u32",
            Ty::U64 => "apg_u64",
            Ty::F32 => "float",
            Ty::F64 => "double",
            Ty::Char => "apg_char",
            Ty::Ref => "apg_object *",
            Ty::Pointer(text) => text,
        }
    }
}

/// One runtime entry, as the compiler sees it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name of the field of `apg_runtime`; with the prefix `apg_`, name of the wrapper that generated code
    /// calls.
    pub name: &'static str,
    /// Description of the entry, for the C header.
    pub doc: &'static str,
    /// Names and types of the parameters.
    pub params: &'static [(&'static str, Ty)],
    /// Result type of the wrapper.
    pub result: Ty,
    /// Whether the entry can raise an X10 exception.
    pub raises: bool,
}

/// Finds an entry by name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// A Rust type that may stand in the signature of an entry.
trait AbiType {
    /// The corresponding type of the ABI.
    const TY: Ty;
}

macro_rules! abi_types {
    ($($rust:ty => $ty:expr),* $(,)?) => { $( impl AbiType for $rust { const TY: Ty = $ty; } )* };
}
abi_types! {
    () => Ty::Void,
    bool => Ty::Bool,
    i8 => Ty::I8,
    i16 => Ty::I16,
    i32 => Ty::I32,
    i64 => Ty::I64,
    u8 => Ty::U8,
    u16 => Ty::U16,
    u32 => Ty::U32,
    u64 => Ty::U64,
    f32 => Ty::F32,
    f64 => Ty::F64,
    Char => Ty::Char,
    Ref => Ty::Ref,
    Text => Ty::Pointer("const char *"),
    Bytes => Ty::Pointer("const void *"),
    Refs => Ty::Pointer("apg_object *const *"),
    DescriptorPointer => Ty::Pointer("const apg_type *"),
    KernelPointer => Ty::Pointer("const apg_kernel *"),
    StaticPointer => Ty::Pointer("apg_static *"),
}

/// A Unicode code point as X10's `Char`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Char(pub u32);

/// A zero-terminated constant of the program.
pub type Text = *const std::ffi::c_char;
/// Memory of the program.
pub type Bytes = *const std::ffi::c_void;
/// An array of references.
pub type Refs = *const Ref;
/// A type descriptor.
pub type DescriptorPointer = *const Type;
/// A kernel.
pub type KernelPointer = *const Kernel;
/// The state of a static field.
pub type StaticPointer = *mut StaticState;
