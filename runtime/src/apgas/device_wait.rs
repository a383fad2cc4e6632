//! Wait policy of an activity that waits for a device and keeps its thread.

use crate::device::WaitPolicy;
use crate::scheduler;

/// Polls while its worker has nothing else to do, then parks in its thread for short times.
pub const DEVICE_WAIT_POLICY: WaitPolicy =
    WaitPolicy { worthwhile: scheduler::has_nothing_else_to_do, park: Some(scheduler::park_briefly) };
