//! `finish`: waits for all activities started in it, at all places (X10 language specification 2.6,
//! "Finish").
//!
//! [`local`] counts the activities of one place.

pub mod id;
mod local;
pub(crate) mod proxy;
pub mod root;

pub use local::*;
