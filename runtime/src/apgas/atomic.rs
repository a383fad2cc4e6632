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

use crate::base::sanitizer;
use crate::scheduler::park::{Waker, block};

/// How long a thread sleeps for the section before its activity is suspended.
const THREAD_WAIT: Duration = Duration::from_millis(2);

/// The section: locked while an activity is in it. Those inside wait for a guard to become true.
static SECTION: Mutex<Vec<Waker>> = Mutex::new(Vec::new());
/// Suspended activities that want to enter, in order.
static ENTERING: Mutex<VecDeque<Waker>> = Mutex::new(VecDeque::new());
/// How many these are.
static ENTERING_COUNT: AtomicUsize = AtomicUsize::new(0);

/// Takes the section if it is free before the time is over.
fn try_enter(time: Duration) -> bool {
    let guard = if time.is_zero() { SECTION.try_lock() } else { SECTION.try_lock_for(time) };
    guard.map(std::mem::forget).is_some()
}

/// Enters the section; waits while another activity is in it.
pub fn enter() {
    while !try_enter(THREAD_WAIT) {
        block(|waker| {
            ENTERING.lock().push_back(waker);
            ENTERING_COUNT.fetch_add(1, Ordering::SeqCst);
            // An activity that left before this did not see it.
            if try_enter(Duration::ZERO) {
                free();
            }
        });
    }
    sanitizer::acquire(&raw const SECTION);
}

/// Frees the section: a suspended activity may try again.
fn free() {
    // SAFETY: the caller is in the section, and touches it no more.
    unsafe { SECTION.force_unlock() };
    // An activity that wants to enter counts itself before it finds the section taken.
    fence(Ordering::SeqCst);
    if ENTERING_COUNT.load(Ordering::Relaxed) > 0 {
        let next = ENTERING.lock().pop_front();
        if let Some(next) = next {
            ENTERING_COUNT.fetch_sub(1, Ordering::SeqCst);
            next.wake();
        }
    }
}

/// Leaves the section after a change: activities that wait for guards evaluate them again.
pub fn leave() {
    sanitizer::release(&raw const SECTION);
    // SAFETY: the caller is in the section.
    let waiting = unsafe { std::mem::take(&mut *SECTION.data_ptr()) };
    free();
    waiting.into_iter().for_each(Waker::wake);
}

/// Leaves the section, waits until somebody else has been in it, and enters it again.
pub fn wait_for_change() {
    sanitizer::release(&raw const SECTION);
    block(|waker| {
        // SAFETY: the activity, which has just been suspended, is in the section.
        unsafe { (*SECTION.data_ptr()).push(waker) };
        free();
    });
    enter();
}
