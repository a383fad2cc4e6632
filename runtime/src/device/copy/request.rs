//! Requests for copies.

use std::time::Duration;

/// Copies of at least this size use several threads.
pub(crate) const MIN_PARALLEL_SIZE: u64 = 32 << 20;
/// How long a thread polls for the end of a transfer before it sleeps.
pub(crate) const POLL_TIME: Duration = Duration::from_millis(5);

/// Bytes to move to a device.
#[derive(Clone, Copy, Debug)]
pub struct Upload {
    /// Host memory.
    pub source: *const u8,
    /// Device memory.
    pub target: u64,
    /// How many.
    pub bytes: u64,
}

/// Bytes to move to a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Download {
    pub source: u64,
    pub target: *mut u8,
    pub bytes: u64,
}
