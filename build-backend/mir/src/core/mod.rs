//! The core dialect: machine types, operations on them, and structs.

pub mod operation;
mod structs;
mod types;

pub use operation::Operation;
pub use structs::{Field, Struct};
pub use types::Ty;
