//! `atomic` and `when`: conditional critical regions (Hoare 1972), with one section a place.
//!
//! An activity in the section keeps its thread: it neither waits nor starts others. So an activity that finds
//! the section taken keeps its own thread too and lets the thread sleep, since the section is about to be
//! free. To suspend the activity at once would hand the section to an activity that is not running, for which
//! all others would have to wait, each having begun another activity meanwhile (a lock convoy: Blasgen et
//! al., "The convoy phenomenon", 1979). Only if the section stays taken for long does the activity leave its
//! thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::place::{self, Part, PlacePart};
use crate::base::sanitizer;
use crate::scheduler::park::{Waker, block};

/// How long a thread sleeps for the section before its activity is suspended.
const THREAD_WAIT: Duration = Duration::from_millis(2);

/// The section of a place.
#[derive(Default)]
pub(crate) struct AtomicSection {
    /// Locked while an activity is in the section. Those inside wait for a guard to become true.
    section: Mutex<Vec<Waker>>,
    /// Suspended activities that want to enter, in order.
    entering: Mutex<VecDeque<Waker>>,
    /// How many these are.
    entering_count: AtomicUsize,
}

// SAFETY: the only type with that part.
unsafe impl PlacePart for AtomicSection {
    const PART: Part = Part::AtomicSection;
}

impl AtomicSection {
    /// Takes the section if it is free before the time is over.
    fn try_enter(&self, time: Duration) -> bool {
        let guard = if time.is_zero() { self.section.try_lock() } else { self.section.try_lock_for(time) };
        guard.map(std::mem::forget).is_some()
    }

    /// Enters the section; waits while another activity is in it.
    pub(crate) fn enter(&'static self) {
        while !self.try_enter(THREAD_WAIT) {
            block(|waker| {
                self.entering.lock().push_back(waker);
                self.entering_count.fetch_add(1, Ordering::SeqCst);
                // An activity that left before this did not see it.
                if self.try_enter(Duration::ZERO) {
                    self.free();
                }
            });
        }
        sanitizer::acquire(&raw const self.section);
    }

    /// Frees the section: a suspended activity may try again.
    fn free(&self) {
        // SAFETY: the caller is in the section, and touches it no more.
        unsafe { self.section.force_unlock() };
        // An activity that wants to enter counts itself before it finds the section taken.
        fence(Ordering::SeqCst);
        if self.entering_count.load(Ordering::Relaxed) > 0 {
            let next = self.entering.lock().pop_front();
            if let Some(next) = next {
                self.entering_count.fetch_sub(1, Ordering::SeqCst);
                next.wake();
            }
        }
    }

    /// Leaves the section after a change: activities that wait for guards evaluate them again.
    pub(crate) fn leave(&self) {
        sanitizer::release(&raw const self.section);
        // SAFETY: the caller is in the section.
        let waiting = unsafe { std::mem::take(&mut *self.section.data_ptr()) };
        self.free();
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Leaves the section, waits until another activity has been in it, and enters it again.
    pub(crate) fn wait_for_change(&'static self) {
        sanitizer::release(&raw const self.section);
        block(|waker| {
            // SAFETY: the activity, which has just been suspended, is in the section.
            unsafe { (*self.section.data_ptr()).push(waker) };
            self.free();
        });
        self.enter();
    }
}

/// The section of the calling activity's place.
pub(crate) fn section() -> &'static AtomicSection {
    place::part()
}
