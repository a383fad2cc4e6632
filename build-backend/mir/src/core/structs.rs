//! Structs and unions: values with fields.

use smol_str::SmolStr;

use super::layout::MemoryLayout;
use super::types::Ty;

/// A struct or union (a value type).
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// Name with type arguments, for messages.
    pub name: String,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Where the fields lie, if the program relies on it. Only such structs have fields that are arrays.
    pub layout: Option<MemoryLayout>,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Source name; that of the variable, for a captured one.
    pub name: SmolStr,
    /// Type.
    pub ty: Ty,
}
