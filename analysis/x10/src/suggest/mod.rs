//! Suggestions that several rules share: edits that change code to what was probably meant, found from the
//! code and its types when a problem is put in words.

pub(crate) mod call;
pub(crate) mod cast;
pub(crate) mod condition;
pub(crate) mod conditions;
pub(crate) mod conversion;
pub(crate) mod cuda_atomic;
mod declaration_keyword;
mod declare_as_val;
pub(crate) mod difference;
pub(crate) mod foreign_vocabulary;
pub(crate) mod jump;
pub(crate) mod literal;
mod object_reference;
pub(crate) mod wrap_in_at;

pub(crate) use declaration_keyword::declaration_keyword;
pub(crate) use declare_as_val::declare_as_val;
pub(crate) use object_reference::CONSTANT_RAIL_NOTE;
pub(crate) use object_reference::ObjectReference;
