//! Full mesh: a TCP connection between every two places, encrypted between hosts, and shared memory between
//! places of one machine.

pub mod endpoint;
pub mod link;
mod out_stream;
pub(crate) mod peer;
mod stream_reader;
pub(crate) mod tls;
