//! Distributed garbage collection over weighted references ([`crate::heap::global_refs`]).

pub(crate) mod collector;
pub(crate) mod messages;
