//! Suggestions that several rules share: edits that change code to what was probably meant, found from the code and its
//! types when a problem is put in words.

mod declaration_keyword;
mod declare_as_val;
mod object_reference;
pub mod wrap_in_at;

pub(crate) use declaration_keyword::declaration_keyword;
pub(crate) use declare_as_val::declare_as_val;
pub(crate) use object_reference::CONSTANT_RAIL_NOTE;
pub use object_reference::ObjectReference;
