//! Suggestions for code that does not type: what was probably meant, found from the types and names in scope.

pub(crate) mod cuda_names;
pub(crate) mod foreign_members;
pub(crate) mod foreign_names;
pub(crate) mod iterable;
pub(crate) mod java_names;
pub(crate) mod missing_cast;
pub(crate) mod unresolved;
