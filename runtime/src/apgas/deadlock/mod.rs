//! Deadlock detection: all activities of all places wait, and no message is in flight.

pub mod quiescence;
pub mod report;
