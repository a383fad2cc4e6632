//! The runtime of compiled X10 programs: the C ABI they are compiled against, their garbage-collected heap,
//! their activities, and the native members of the class library.
//!
//! A program is a shared object that `apg` loads ([`program`]). It reaches the runtime through one table of
//! functions ([`abi`]), and the runtime reaches it through another.

pub mod abi;
pub mod memory;
