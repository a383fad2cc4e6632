//! Constraints in bodies: known facts, conditions of calls, what is left to check at run time, and names of
//! unnamed values.

pub(crate) mod facts;
pub(crate) mod guard;
pub(crate) mod home;
pub(crate) mod postconditions;
pub(crate) mod residual;
pub(crate) mod skolem;
