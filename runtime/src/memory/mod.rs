//! The heap: object layout, allocation, collection.

mod object;

pub use object::{FieldDescriptor, InterfaceTable, Kind, Object, Rail, Ref, Slot, TypeDescriptor, XString};
