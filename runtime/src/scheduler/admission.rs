//! Activities that are put off. Each activity that waits for another place has a stack here, and what it waits for has one there. While
//! very many do, others are not begun: that would take memory, and only add to what is under way. But what is waited for may depend on
//! one of them, so that threads without other work begin some all the same.

use std::sync::atomic::{AtomicUsize, Ordering};

/// So many wait for other places before others are put off.
const MANY: usize = 1024;
/// As many are begun each time that a thread has found nothing else to do for a moment.
const BATCH: usize = 64;

/// Activities that wait for other places.
static WAITING: AtomicUsize = AtomicUsize::new(0);
/// Activities that may be begun all the same.
static ALLOWED: AtomicUsize = AtomicUsize::new(0);

/// Whether activities are put off.
#[inline]
pub fn is_on() -> bool {
    WAITING.load(Ordering::Relaxed) > MANY
}

/// The caller waits for another place, until the value is dropped.
#[must_use]
pub fn wait() -> Wait {
    WAITING.fetch_add(1, Ordering::Relaxed);
    Wait(())
}

/// See [`wait`].
pub struct Wait(());

impl Drop for Wait {
    fn drop(&mut self) {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether an activity may be begun that was put off.
pub fn may_begin() -> bool {
    let one_less = |allowed: usize| allowed.checked_sub(1);
    !is_on() || ALLOWED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
}

/// The caller, who looks for work, has found nothing else for a moment.
pub fn allow_more() {
    ALLOWED.store(BATCH, Ordering::Relaxed);
}
