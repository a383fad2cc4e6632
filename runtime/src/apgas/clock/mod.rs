//! Clocks: barriers that activities register on (X10 language specification 2.6, "Clocks"). [`local`] is a
//! clock at its own place.

mod local;
pub(crate) mod remote;

pub use local::*;
