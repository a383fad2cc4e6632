//! Resource usage of the kernels of open documents: they are compiled in the background by a process of its
//! own.

pub mod compiler;
pub mod usage;
pub mod worker;
