//! The heap: references to objects, allocation, collection.

mod object;

pub use object::{ARRAY_HEADER, Ref};
