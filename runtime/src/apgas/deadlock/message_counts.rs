//! Counts of the messages that a place has sent and received, for [`super::quiescence`].

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ThreadId;

use parking_lot::Mutex;

use crate::base::place::{Part, PlacePart};

/// Messages that may start an activity, counted by one thread: a counter that threads share would slow every
/// message.
#[derive(Default)]
#[repr(align(64))]
struct Counts {
    sent: AtomicU64,
    received: AtomicU64,
}

/// The counts of a place, by thread, also of threads that have ended.
#[derive(Default)]
pub(crate) struct MessageCounts(Mutex<HashMap<ThreadId, &'static Counts>>);

// SAFETY: the only type with that part.
unsafe impl PlacePart for MessageCounts {
    const PART: Part = Part::MessageCounts;
}

thread_local! {
    /// The counts that this thread used last, and whose they are.
    static LAST: Cell<(*const MessageCounts, Option<&'static Counts>)> = const { Cell::new((std::ptr::null(), None)) };
}

impl MessageCounts {
    /// Counts a message that is about to be sent.
    pub(crate) fn count_sent(&'static self) {
        self.increment(|own| &own.sent);
    }

    /// Counts a message once everything that it starts has been started.
    pub(crate) fn count_received(&'static self) {
        self.increment(|own| &own.received);
    }

    /// Not inlined: an activity may have moved to another thread since it last counted.
    #[inline(never)]
    fn increment(&'static self, which: fn(&'static Counts) -> &'static AtomicU64) {
        let own = match LAST.get() {
            (whose, Some(own)) if std::ptr::eq(whose, self) => own,
            _ => self.find_own(),
        };
        let counter = which(own);
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Release);
    }

    /// The counts of the calling thread.
    #[cold]
    fn find_own(&'static self) -> &'static Counts {
        let mut all = self.0.lock();
        let own = *all.entry(std::thread::current().id()).or_insert_with(|| Box::leak(Box::default()));
        LAST.set((self, Some(own)));
        own
    }

    /// Messages sent by the place.
    pub(crate) fn sent(&self) -> u64 {
        self.sum(|counts| &counts.sent)
    }

    /// Messages received by the place.
    pub(crate) fn received(&self) -> u64 {
        self.sum(|counts| &counts.received)
    }

    fn sum(&self, which: fn(&Counts) -> &AtomicU64) -> u64 {
        self.0.lock().values().map(|counts| which(counts).load(Ordering::Acquire)).sum()
    }
}
