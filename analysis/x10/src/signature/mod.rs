//! Lowering of signatures: types and constraints as written to [`Ty`](crate::ty::Ty) and
//! [`Constraint`](crate::ty::Constraint), and the signatures of classes, methods and fields.

pub(crate) mod constraints;
mod header;
pub(crate) mod inferred;
mod path_resolution;
pub(crate) mod property;
pub(crate) mod resolve;
pub(crate) mod supertypes;
#[cfg(test)]
mod tests;

pub(crate) use header::{COLLECTOR, definition_problems, field_signature, formal_values, typedef_problems};
pub use header::{class_header, method_signature};
pub use inferred::field_type;
