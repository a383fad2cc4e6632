//! Relations between types at a point of the program: subtyping, conversion, least upper bounds, entailment
//! of constraints, well-formedness.

mod constraint_mismatch;
mod context;
pub mod entailment;
pub mod lub;
mod predicate;
pub mod subtype;
mod supertypes;
pub mod wellformed;

pub use context::Context;
