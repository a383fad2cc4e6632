//! Wakes the waiting activities of cancelled jobs, so that they observe the cancellation.

use std::sync::Arc;

use crate::apgas::finish::Uncounted;
use crate::apgas::{activity, atomic, clock, lock, timer};
use crate::heap::Ref;

/// Wakes all activities whose wait a cancellation ends: on timers, `when` conditions, clocks and locks. An
/// activity does so, since it may have to wait for the atomic section.
pub(super) fn wake_all() {
    let wake = || {
        timer::wake_cancelled();
        atomic::section().enter();
        atomic::section().leave();
        clock::wake_all();
        lock::wake_all();
        Ref::NULL
    };
    activity::start_at(Arc::new(Uncounted), Box::new(wake));
}
