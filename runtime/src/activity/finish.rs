//! `finish`: waits for all activities started inside, and gathers their exceptions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::block::Event;
use super::{current, pool};
use crate::device::Flight;
use crate::distributed::{FinishId, Governor, HomeFinish};
use crate::memory::{Handle, Ref};
use crate::sanitizer;

/// The most kernels in flight that a finish looks at itself.
const WATCHED: usize = 16;

/// A finish of this place. Activities here cost one addition to its counter each, and are no more than their closure until they begin.
/// A finish that has ended without more to it is used again.
#[derive(Default)]
pub struct Finish {
    /// Activities that have not ended, and 1 for the body.
    count: AtomicUsize,
    /// There may be exceptions, or flights.
    touched: AtomicBool,
    exceptions: Mutex<Vec<Handle>>,
    /// Work of devices that the waiting activity may look at.
    flights: Mutex<VecDeque<Flight>>,
    /// The counter has come to zero while the body waited for it.
    ended: Event,
    home: HomeFinish,
}

impl Finish {
    /// One whose body has begun.
    pub fn new() -> Arc<Finish> {
        if let Some(spare) = pool::spare_finish() {
            spare.count.store(1, Ordering::Relaxed);
            return spare;
        }
        Arc::new(Finish { count: AtomicUsize::new(1), ..Finish::default() })
    }

    /// Ends the body, waits for all activities, and returns what they raised. `exception` is what the body raised.
    pub fn wait(self: Arc<Self>, exception: Ref) -> Vec<Handle> {
        let exception = Handle::new(exception);
        self.run_own_activities();
        // Alone, nobody else can enter it any more.
        if self.count.load(Ordering::Acquire) != 1 && self.count.fetch_sub(1, Ordering::AcqRel) != 1 {
            self.look_at_flights();
            // Whoever counts to zero says so.
            self.ended.wait();
            self.ended.reset();
        }
        let mut all = Vec::new();
        if self.touched.swap(false, Ordering::Acquire) {
            all = std::mem::take(&mut *self.exceptions.lock());
            drop(std::mem::take(&mut *self.flights.lock()));
        }
        sanitizer::acquire(Arc::as_ptr(&self));
        if !exception.get().is_null() {
            all.insert(0, exception);
        }
        if Arc::strong_count(&self) == 1 && self.home.is_unknown() {
            pool::keep_finish(self);
        }
        all
    }

    /// Work of a device that one of this finish's activities is. The waiting activity looks at it for a while before it is left
    /// to a thread that sleeps until its end.
    pub fn watch(&self, flight: Flight) {
        self.touched.store(true, Ordering::Release);
        let mut flights = self.flights.lock();
        flights.push_back(flight);
        let oldest = if flights.len() > WATCHED { flights.pop_front() } else { None };
        drop(flights);
        drop(oldest);
    }

    fn look_at_flights(&self) {
        while self.count.load(Ordering::Acquire) > 0 {
            let Some(flight) = self.flights.lock().pop_front() else { return };
            flight.look(pool::nothing_else_to_do);
        }
    }

    /// Runs the newest activities of this thread while they belong to this finish: the caller waits for them anyway, so
    /// that it costs nothing to run them on its stack, and saves two switches.
    fn run_own_activities(self: &Arc<Self>) {
        if sanitizer::watches_threads() {
            // One after the other on this stack, they could not be seen to race.
            return;
        }
        while let Some(closure) = pool::pop_own_of(Arc::as_ptr(self)) {
            // Not the last one that leaves: the body has not ended.
            current::run_closure(closure, Arc::as_ptr(self));
        }
    }
}

impl Governor for Finish {
    fn enter(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn leave(&self, exception: Ref) {
        if !exception.is_null() {
            let handle = Handle::new(exception);
            self.exceptions.lock().push(handle);
            self.touched.store(true, Ordering::Release);
        }
        sanitizer::release(self);
        if self.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.ended.set();
        }
    }

    fn identify(&self, this: &Arc<dyn Governor>) -> FinishId {
        self.home.identify(this)
    }

    fn departed(&self, this: &Arc<dyn Governor>, place: u32) {
        self.home.departed(this, place);
    }
}

/// Governs activities that nobody waits for: their exceptions are printed.
pub struct Uncounted;

impl Governor for Uncounted {
    fn enter(&self) {}

    fn leave(&self, exception: Ref) {
        if !exception.is_null() {
            crate::program::print_uncaught("uncounted activity", exception);
        }
    }

    fn identify(&self, _: &Arc<dyn Governor>) -> FinishId {
        FinishId::NONE
    }

    fn departed(&self, _: &Arc<dyn Governor>, _: u32) {}
}
