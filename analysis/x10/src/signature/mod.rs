//! Lowering of signatures: types and constraints as written to [`Ty`](crate::ty::Ty) and
//! [`Constraint`](crate::ty::Constraint), and the signatures of classes, methods and fields.

pub mod constraints;
mod header;
pub mod inferred;
mod path_resolution;
pub mod property;
pub mod resolve;
pub mod supertypes;
#[cfg(test)]
mod tests;

pub use header::{
    COLLECTOR, class_header, definition_problems, field_signature, formal_values, method_signature,
    typedef_problems,
};
pub use inferred::field_type;
