//! The object dialect: classes, interfaces, rails and boxes on a collected heap.

mod class;
mod serialization;
mod table;

pub use class::{CastTarget, Class, ClassKind, Interface, Static, slot};
pub use serialization::Serialization;
pub use table::Table;
