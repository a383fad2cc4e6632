//! Resource usage of the kernels of open documents: they are compiled in the background by a process of its
//! own.

pub(crate) mod compiler;
pub(crate) mod usage;
pub(crate) mod worker;
