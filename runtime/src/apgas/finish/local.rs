//! `finish`: waits for all activities started inside, and gathers their exceptions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::apgas::activity::{self, Governing};
use crate::apgas::cancellation;
use crate::apgas::engine::Governor;
use crate::apgas::finish::id::FinishId;
use crate::apgas::finish::root::FinishRoot;
use crate::base::sanitizer;
use crate::device::{Flight, Patience};
use crate::heap::{Handle, Ref};
use crate::scheduler::abi_layout::Apart;
use crate::scheduler::fiber::{self, Fiber};
use crate::scheduler::park::Event;
use crate::scheduler::pool;

/// The most kernels in flight that a finish looks at itself.
const WATCHED: usize = 16;

/// What the body counts for, so that the counter does not come to zero before it has ended.
pub const BODY: usize = 1 << 48;

/// A finish of this place. Activities here are no more than their closure until they begin. Those that the body starts, and those that
/// these start while they run on its stack, are counted without atomic operations: one after the other touches that counter.
/// The sum of both is what has not ended. A finish that has ended without more to it is used again. Generated code opens, counts in and
/// closes one itself as long as there is no more to it: the first fields are where it expects them ([`crate::scheduler::abi_layout`]).
#[derive(Default)]
#[repr(C)]
pub struct Finish {
    /// The finish around it that the same activity has opened; only that activity touches it. Of one that waits to be used again, the next
    /// of those.
    pub(crate) outer: AtomicPtr<Finish>,
    /// Activities that the body has started, less those that have run on its stack: below zero where others had started those.
    pub(crate) own: AtomicUsize,
    /// There may be exceptions, or flights, or others who know it.
    pub(crate) touched: AtomicBool,
    /// Activities that others have started and that have not ended, less those that others have run to their end, and [`BODY`].
    pub(crate) count: Apart<AtomicUsize>,
    exceptions: Mutex<Vec<Handle>>,
    /// Work of devices that the waiting activity may look at.
    flights: Mutex<VecDeque<Flight>>,
    /// The counter has come to zero while the body waited for it.
    ended: Event,
    home: FinishRoot,
    /// The fiber that opens it, if that is known.
    owner: AtomicPtr<Fiber>,
    /// The clock of a clocked one. Only the activity that has opened it touches that.
    clock: AtomicI64,
}

/// No clock.
const NONE: i64 = i64::MIN;

impl Finish {
    /// One whose body has begun.
    pub fn new() -> Arc<Finish> {
        let clock = AtomicI64::new(NONE);
        Arc::new(Finish { count: Apart(AtomicUsize::new(BODY)), clock, ..Finish::default() })
    }

    /// The same for a body that runs on a fiber, which may have a used one.
    #[inline]
    pub fn begin(fiber: &Fiber) -> Arc<Finish> {
        let spare = fiber.shared.spare.get();
        if spare.is_null() {
            let finish = Finish::new();
            finish.owner.store(std::ptr::from_ref(fiber).cast_mut(), Ordering::Relaxed);
            fiber.finishes.set(fiber.finishes.get() + 1);
            return finish;
        }
        // SAFETY: came out of an `Arc`, and is in the list once.
        let spare = unsafe { Arc::from_raw(spare) };
        fiber.shared.spare.set(spare.outer());
        spare
    }

    /// Keeps one that has ended for later, if it is as good as new: nobody else knows it.
    #[inline]
    pub fn keep(self: Arc<Self>, fiber: &Fiber) {
        if Arc::strong_count(&self) == 1 && self.home.is_unknown() {
            self.count.store(BODY, Ordering::Relaxed);
            if self.owner.swap(std::ptr::from_ref(fiber).cast_mut(), Ordering::Relaxed).is_null() {
                fiber.finishes.set(fiber.finishes.get() + 1);
            }
            self.set_opened(fiber.shared.spare.get(), None);
            fiber.shared.spare.set(Arc::into_raw(self));
        }
    }

    /// Gives the finishes that a fiber, which runs no activity, keeps back but for so many; the number of those.
    pub fn give_back(fiber: &Fiber, most: usize) -> usize {
        let mut last = fiber.shared.spare.get();
        let mut kept = 0;
        // SAFETY: each in the list came out of an `Arc`, and knows the next.
        unsafe {
            while let Some(finish) = last.as_ref().filter(|_| kept < most) {
                kept += 1;
                if kept < most {
                    last = finish.outer();
                    continue;
                }
                let mut rest = finish.outer();
                finish.set_opened(std::ptr::null(), None);
                while let Some(next) = rest.as_ref() {
                    let outer = next.outer();
                    drop(Arc::from_raw(rest));
                    rest = outer;
                }
            }
        }
        kept
    }

    /// The fiber that has opened it, if that is known.
    pub fn owner(&self) -> Option<&'static Fiber> {
        // SAFETY: fibers live for ever.
        unsafe { self.owner.load(Ordering::Relaxed).as_ref() }
    }

    /// Ends the body, waits for all activities, and returns what they raised. `exception` is what the body raised.
    pub fn wait(self: Arc<Self>, exception: Ref) -> Vec<Handle> {
        let fiber = fiber::current();
        if let Some(fiber) = fiber {
            self.run_own_activities(fiber);
        }
        let own = self.own.load(Ordering::Relaxed);
        // Alone, nobody else can enter it any more.
        if own > 0 || self.count.load(Ordering::Acquire) != BODY {
            self.own.store(0, Ordering::Relaxed);
            if self.count.fetch_add(own.wrapping_sub(BODY), Ordering::AcqRel) != BODY.wrapping_sub(own) {
                self.look_at_flights();
                // Whoever counts to zero says so.
                if self.home.is_unknown() {
                    self.ended.wait();
                } else {
                    self.ended.wait_for_others(None);
                }
                self.ended.reset();
            }
        }
        let mut all = Vec::new();
        if self.touched.load(Ordering::Acquire) {
            self.touched.store(false, Ordering::Relaxed);
            all = std::mem::take(&mut *self.exceptions.lock());
            drop(std::mem::take(&mut *self.flights.lock()));
        }
        sanitizer::acquire(Arc::as_ptr(&self));
        if !exception.is_null() {
            all.insert(0, Handle::new(exception));
        }
        if let Some(fiber) = fiber {
            self.keep(fiber);
        }
        all
    }

    /// Whether all has ended that was ever in it, and nothing was raised.
    #[inline]
    pub fn has_ended_quietly(&self) -> bool {
        let alone = self.own.load(Ordering::Relaxed) == 0 && self.count.load(Ordering::Acquire) == BODY;
        if alone {
            sanitizer::acquire(self);
        }
        alone && !self.touched.load(Ordering::Acquire)
    }

    /// Says which finish is around it, and which clock it has.
    #[inline]
    pub fn set_opened(&self, outer: *const Finish, clock: Option<i64>) {
        self.outer.store(outer.cast_mut(), Ordering::Relaxed);
        self.clock.store(clock.unwrap_or(NONE), Ordering::Relaxed);
    }

    /// The finish around it that the same activity has opened, or null.
    #[inline]
    pub fn outer(&self) -> *const Finish {
        self.outer.load(Ordering::Relaxed)
    }

    /// The clock of a clocked one.
    #[inline]
    pub fn clock(&self) -> Option<i64> {
        Some(self.clock.load(Ordering::Relaxed)).filter(|it| *it != NONE)
    }

    /// Counts an activity that the body starts, or one on its stack.
    #[inline]
    pub fn enter_own(&self) {
        self.own.store(self.own.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Counts an activity that has run on the body's stack.
    #[inline]
    pub fn leave_own(&self, exception: Ref) {
        self.note(exception);
        self.own.store(self.own.load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
    }

    /// What an activity has raised, or null.
    #[inline]
    pub fn note(&self, exception: Ref) {
        if !exception.is_null() {
            let handle = Handle::new(exception);
            self.exceptions.lock().push(handle);
            self.touched.store(true, Ordering::Release);
        }
    }

    /// Its number, if other places know it.
    pub fn number(&self) -> Option<FinishId> {
        self.home.number()
    }

    /// Somebody else knows it from now on.
    pub fn is_known(&self) {
        self.touched.store(true, Ordering::Release);
    }

    /// An activity that others had started has run to its end; [`Finish::leave_all`] is still to come.
    #[inline]
    pub fn end_one(&self, exception: Ref) {
        self.note(exception);
        sanitizer::release(self);
    }

    /// So many activities that others had started have ended.
    pub fn leave_all(&self, activities: usize) {
        if self.count.fetch_sub(activities, Ordering::AcqRel) == activities {
            self.ended.set();
        }
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
            let (flight, is_last) = {
                let mut flights = self.flights.lock();
                let Some(flight) = flights.pop_front() else { return };
                (flight, flights.is_empty())
            };
            // The ends of others are not left unseen while this thread sleeps.
            flight.look(Patience { doze: pool::PATIENCE.doze.filter(|_| is_last), ..pool::PATIENCE });
        }
    }

    /// Runs the newest activities of this thread while they belong to this finish: the caller waits for them anyway, so
    /// that it costs nothing to run them on its stack, and saves two switches.
    pub fn run_own_activities(&self, fiber: &Fiber) {
        if sanitizer::watches_threads() {
            // One after the other on this stack, they could not be seen to race.
            return;
        }
        let this = std::ptr::from_ref(self);
        // The thread may be another one after each.
        while let Some(closure) = pool::pop_own_of(fiber.worker.get(), this) {
            // The caller, which waits, is of the same job.
            if cancellation::is_cancelled() {
                self.leave_own(Ref::NULL);
                continue;
            }
            activity::run_closure(fiber, closure, Governing::Own(this));
        }
    }
}

impl Governor for Finish {
    fn enter(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    fn leave(&self, exception: Ref) {
        self.note(exception);
        sanitizer::release(self);
        self.leave_all(1);
    }

    fn identify(&self, this: &Arc<dyn Governor>) -> FinishId {
        self.home.identify(this)
    }

    fn departed(&self, this: &Arc<dyn Governor>, place: u32) {
        self.home.departed(this, place);
    }
}

/// Governs activities that nobody waits for: their exceptions are printed, but for those
/// of their cancellation.
pub struct Uncounted;

impl Governor for Uncounted {
    fn enter(&self) {}

    fn leave(&self, exception: Ref) {
        if !exception.is_null() && !cancellation::is_cancellation(exception) {
            crate::program::print_uncaught("uncounted activity", exception);
        }
    }

    fn identify(&self, _: &Arc<dyn Governor>) -> FinishId {
        FinishId::NONE
    }

    fn departed(&self, _: &Arc<dyn Governor>, _: u32) {}
}
