//! The core dialect: machine types, operations on them, structs and unions, places in memory, globals, and
//! functions that are called through pointers.

mod global;
mod layout;
pub mod operation;
mod place;
mod structs;
mod types;

pub use global::{External, Global, Initializer};
pub use layout::{Layouts, MemoryLayout, SizeAlign};
pub use operation::{ArithmeticRules, Operation};
pub use place::{Place, PlaceKind};
pub use structs::{Field, Struct};
pub use types::{AddressSpace, ArrayType, PointerType, Signature, Ty, TypeTable};
