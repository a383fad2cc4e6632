//! Structs and unions: values with fields.

use smol_str::SmolStr;

use super::layout::MemoryLayout;
use super::types::Ty;
use crate::Serialization;

/// A struct or union (a value type).
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Name with type arguments, for messages.
    pub name: String,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Serialisation of values.
    pub serialization: Serialization,
    /// Where the fields lie, if the program relies on it. Only such structs have fields that are arrays.
    pub layout: Option<MemoryLayout>,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Source name (closure captures: the variable's).
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
    /// Not serialised.
    pub transient: bool,
    /// Sequentially consistent; of classes only.
    pub volatile: bool,
    /// Declared non-null.
    pub non_null: bool,
    /// Assigned by constructors only, and not in loops.
    pub immutable: bool,
}
