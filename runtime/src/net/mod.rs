//! Message transport between host places: one interface ([`endpoint`]), shaped like the message layers of
//! APGAS systems (X10RT, GASNet), and its implementations.
//!
//! A transport carries *active messages* (a number that selects the handler, and bytes) and *puts* (bytes
//! that land directly in memory that the receiver names, without a copy on the way). A get is a message that
//! requests a put. Collectives are built from these in [`crate::apgas`]. Between two places messages and puts
//! arrive in the order in which they were sent.

pub mod bootstrap;
pub mod device_memory;
pub mod endpoint;
pub mod frame;
pub mod in_process;
mod liveness;
pub mod local;
pub mod mesh;
#[cfg(test)]
pub(crate) mod message_log;
pub mod mpi;
pub mod placement;
pub(crate) mod poll;
mod shm;
pub mod timeouts;

pub use endpoint::{Endpoint, PlaceEnded, PutTarget, Receiver};
