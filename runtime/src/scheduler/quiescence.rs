//! Quiescence of this place: no worker has anything to do, and nothing outside of the pool will wake an
//! activity. A local deadlock is quiescence while activities wait.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::scheduler::pool;

/// External events that are pending: timers, devices, input.
static EXTERNAL_EVENTS: AtomicUsize = AtomicUsize::new(0);
/// Activities that wait.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);
/// What to do when all activities wait for ever.
static ON_DEADLOCK: OnceLock<fn()> = OnceLock::new();
static IS_REPORTED: AtomicBool = AtomicBool::new(false);

/// A pending external event: something outside of the pool that will wake an activity, or start one. Until
/// the guard is dropped, activities that all wait are no deadlock.
#[derive(Debug)]
pub struct ExternalEventGuard(());

impl ExternalEventGuard {
    /// An event is pending from now on.
    pub fn new() -> ExternalEventGuard {
        EXTERNAL_EVENTS.fetch_add(1, Ordering::SeqCst);
        ExternalEventGuard(())
    }
}

impl Default for ExternalEventGuard {
    fn default() -> ExternalEventGuard {
        ExternalEventGuard::new()
    }
}

impl Drop for ExternalEventGuard {
    fn drop(&mut self) {
        // Only workers that all sleep already need to check for a deadlock again; a worker that is awake will
        // before it sleeps.
        let is_last = EXTERNAL_EVENTS.fetch_sub(1, Ordering::SeqCst) == 1;
        if is_last && pool::has_all_workers_idle(|| true) {
            pool::wake_worker();
        }
    }
}

/// Counts an activity that begins to wait, before it does.
pub(super) fn count_blocked() {
    BLOCKED.fetch_add(1, Ordering::SeqCst);
}

/// Counts an activity that no longer waits, before it is among the tasks.
pub(super) fn count_unblocked() {
    BLOCKED.fetch_sub(1, Ordering::SeqCst);
}

/// From now on, calls `report` when all activities wait for each other.
pub fn set_on_deadlock(report: fn()) {
    let _ = ON_DEADLOCK.set(report);
}

/// Whether nothing here can continue by itself: all workers sleep, and nothing but other places will wake
/// one.
pub fn is_quiescent() -> bool {
    is_quiescent_while(|| true)
}

/// The same, with `condition` true at the same moment.
fn is_quiescent_while(condition: impl FnOnce() -> bool) -> bool {
    // In this order: an external event adds a task before it ends, and only a worker that is awake summons
    // compensating threads.
    let no_event = || EXTERNAL_EVENTS.load(Ordering::SeqCst) == 0;
    pool::has_all_threads_idle(|| no_event() && condition())
}

/// Called by the last worker that finds nothing to do.
pub(super) fn check_for_deadlock() {
    let Some(report) = ON_DEADLOCK.get() else { return };
    // What waited before all slept may have continued, and the program may have nothing to do.
    if is_quiescent_while(|| BLOCKED.load(Ordering::SeqCst) > 0) && !IS_REPORTED.swap(true, Ordering::SeqCst)
    {
        report();
    }
}
