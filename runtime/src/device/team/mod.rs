//! What teams of OpenMP need of a GPU: launches whose blocks all run at the same time, and memory that the
//! host and the device know by the same addresses.

mod launch;
mod memory;

pub(crate) use launch::{Shape, TeamStream};
pub(crate) use memory::Reach;
