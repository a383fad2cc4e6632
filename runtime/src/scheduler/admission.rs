//! Admission control: while very many activities wait for other places, others are deferred.
//!
//! Each activity that waits for another place has a stack here, and what it waits for has one there. To start
//! more would take memory, and only add to what is under way. But what they wait for may depend on a deferred
//! activity, so that workers without other work start some all the same.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Activities that may wait for other places before others are deferred.
const MAX_REMOTE_WAITS: usize = 1024;
/// Deferred activities that are started each time that a worker has found nothing else to do for a while.
const BATCH: usize = 64;

/// Activities that wait for other places.
static REMOTE_WAITS: AtomicUsize = AtomicUsize::new(0);
/// Deferred activities that may be started all the same.
static ADMITTED: AtomicUsize = AtomicUsize::new(0);

/// Whether activities are deferred.
#[inline]
pub(super) fn is_on() -> bool {
    REMOTE_WAITS.load(Ordering::Relaxed) > MAX_REMOTE_WAITS
}

/// The caller waits for another place, until the guard is dropped.
#[must_use]
pub(super) fn begin_remote_wait() -> RemoteWait {
    REMOTE_WAITS.fetch_add(1, Ordering::Relaxed);
    RemoteWait(())
}

/// See [`begin_remote_wait`].
pub(super) struct RemoteWait(());

impl Drop for RemoteWait {
    fn drop(&mut self) {
        REMOTE_WAITS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a deferred activity may be started: takes one of those that are admitted.
pub(super) fn try_admit() -> bool {
    let one_less = |admitted: usize| admitted.checked_sub(1);
    !is_on() || ADMITTED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
}

/// The calling worker has found nothing else for a while.
pub(super) fn admit_batch() {
    ADMITTED.store(BATCH, Ordering::Relaxed);
}
