//! Relations between types at a point of the program: subtyping, conversion, least upper bounds, entailment
//! of constraints, well-formedness.

mod constraint_mismatch;
mod context;
pub(crate) mod entailment;
pub(crate) mod lub;
mod predicate;
pub(crate) mod subtype;
mod supertypes;
pub(crate) mod wellformed;

pub use context::Context;
