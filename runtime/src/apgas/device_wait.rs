//! How an activity waits for a device in its thread.

use crate::device::Patience;
use crate::scheduler;

/// Polls while its worker has nothing else to do, then parks in its thread for short times.
pub const DEVICE_WAIT_POLICY: Patience =
    Patience { worthwhile: scheduler::has_nothing_else_to_do, doze: Some(scheduler::park_briefly) };
