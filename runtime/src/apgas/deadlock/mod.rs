//! Deadlock detection: all activities of all places wait, and no message is in flight.

pub(crate) mod message_counts;
pub mod quiescence;
pub mod report;
