//! Wakes the waiting activities of cancelled jobs, so that they notice.

use std::sync::Arc;

use crate::apgas::finish::Uncounted;
use crate::apgas::{activity, atomic, clock, lock, timer};
use crate::heap::Ref;

/// Wakes all that wait for something that a cancellation ends. It may wait for the atomic section, so an
/// activity does it.
pub fn wake_all() {
    let wake = || {
        timer::wake_cancelled();
        atomic::enter();
        atomic::leave();
        clock::wake_all();
        lock::wake_all();
        Ref::NULL
    };
    activity::start_at(Arc::new(Uncounted), Box::new(wake));
}
