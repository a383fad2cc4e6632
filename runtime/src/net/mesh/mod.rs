//! Full mesh: a TCP connection between every two places, and shared memory between places of one machine.

pub mod endpoint;
pub mod link;
pub(crate) mod peer;
mod stream_reader;
