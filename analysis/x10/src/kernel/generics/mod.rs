//! Device code with type parameters: what it requires of type arguments, and whether instantiations meet
//! that.
//!
//!
//! Device code is monomorphised, so a call through a bound has one known target in each instantiation.
//! Requirements are collected as summaries of methods ([`requirements`]), and checked where type arguments
//! are chosen ([`bound_requirements`]).

pub(in crate::kernel) mod bound_call;
mod bound_requirements;
mod dispatch;
mod instance;
pub(in crate::kernel) mod instantiation;
mod requirements;
