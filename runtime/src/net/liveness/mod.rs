//! Failure detection: heartbeats between places, and which place is silent.

pub(crate) mod detector;
pub(crate) mod heartbeat;
