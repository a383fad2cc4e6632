//! The object dialect: classes, interfaces, rails and boxes on a collected heap.

mod attributes;
mod class;
mod serialization;
mod table;

pub use attributes::{FieldAttributes, TypeAttributes};
pub use class::{CastTarget, Class, ClassKind, Interface, Static, slot};
pub use serialization::Serialization;
pub use table::Table;
