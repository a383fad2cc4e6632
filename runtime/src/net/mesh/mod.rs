//! A connection between every two places: TCP, and shared memory between places of one machine.

pub mod endpoint;
pub(crate) mod peer;
mod stream_reader;
