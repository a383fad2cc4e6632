//! Machine types.

use crate::{ClassId, StructId};

/// A machine type.
#[allow(missing_docs, reason = "variants are named by kind and width")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    /// No value.
    Void,
    /// 0 or 1, one byte.
    Bool,
    /// Integers.
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// IEEE 754.
    F32,
    F64,
    /// A Unicode code point, 4 bytes.
    Char,
    /// A reference to a heap object of this class or a subclass, or null.
    Ref(ClassId),
    /// A reference to any heap object (interfaces, `Any`, function types), or null.
    Any,
    /// A value of a struct.
    Struct(StructId),
}
