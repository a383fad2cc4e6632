//! Counts of the messages that a place has sent and received, for [`super::quiescence`].

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// Messages that may start an activity, counted by one thread: a counter that threads share would slow every
/// message.
#[derive(Default)]
#[repr(align(64))]
struct Counts {
    sent: AtomicU64,
    received: AtomicU64,
}

/// The counts of all threads, also of those that have ended.
static ALL: Mutex<Vec<&'static Counts>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: &'static Counts = {
        let own: &'static Counts = Box::leak(Box::default());
        ALL.lock().push(own);
        own
    };
}

/// Counts a message that is about to be sent.
pub(crate) fn count_sent() {
    increment(|own| &own.sent);
}

/// Counts a message once everything that it starts has been started.
pub(crate) fn count_received() {
    increment(|own| &own.received);
}

/// Not inlined: an activity may have moved to another thread since it last counted.
#[inline(never)]
fn increment(which: fn(&'static Counts) -> &'static AtomicU64) {
    let counter = OWN.with(|own| which(own));
    counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Release);
}

/// Messages sent by this place.
pub(crate) fn sent() -> u64 {
    sum(|counts| &counts.sent)
}

/// Messages received by this place.
pub(crate) fn received() -> u64 {
    sum(|counts| &counts.received)
}

fn sum(which: fn(&Counts) -> &AtomicU64) -> u64 {
    ALL.lock().iter().map(|counts| which(counts).load(Ordering::Acquire)).sum()
}
