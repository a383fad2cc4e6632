//! The local half of `finish`: counts the activities of this place, waits for them, and gathers their
//! exceptions.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use crate::apgas::cancellation;
use crate::apgas::device_wait::DEVICE_WAIT_POLICY;
use crate::apgas::engine::FinishScope;
use crate::apgas::finish::id::FinishId;
use crate::apgas::finish::root::FinishRoot;
use crate::base::place::{self, PlaceHeader, PlaceId};
use crate::base::sanitizer;
use crate::device::{Completion, WaitPolicy};
use crate::heap::{Handle, Ref};
use crate::scheduler::fiber::Fiber;
use crate::scheduler::park::Event;
use crate::scheduler::stack_budget::{FinishHeader, SharedPart};

/// Maximum number of device operations that a finish polls itself; older ones are left to the device's
/// thread.
const MAX_POLLED_OPERATIONS: usize = 16;

/// Weight of the body in the counter, which therefore does not reach zero before the body has ended.
pub const BODY: usize = 1 << 48;
const _: () = assert!(BODY == 1 << 48 && std::mem::offset_of!(Finish, header) == 0);

/// A finish of this place.
///
/// An activity that has not begun consists of its closure only. Activities that the body starts, and those
/// that these start while they run on its stack, are counted without atomic operations in `own`, since only
/// one of them runs at a time. All others are counted in `count`. The sum of the two counters is the number
/// of activities that have not ended. A finish that has ended, and that nothing else refers to, is reused. In
/// the simple cases generated code opens a finish, counts its activities and closes it by itself
/// ([`crate::scheduler::abi_layout`]).
#[derive(Default)]
#[repr(C)]
pub struct Finish {
    /// The part that generated code and the scheduler access.
    pub(crate) header: FinishHeader,
    exceptions: Mutex<Vec<Handle>>,
    /// Device operations that the waiting activity may poll.
    operations: Mutex<VecDeque<Completion>>,
    /// Set when the counter reaches zero while the body waits.
    ended: Event,
    home: FinishRoot,
    /// The clock of a clocked finish, or [`NO_CLOCK`]. Only the activity that has opened it uses this.
    clock: AtomicI64,
}

const NO_CLOCK: i64 = i64::MIN;

impl Finish {
    /// Makes a finish whose body has begun.
    pub fn new() -> Arc<Finish> {
        let clock = AtomicI64::new(NO_CLOCK);
        let place = AtomicPtr::new(std::ptr::from_ref(place::current()).cast_mut());
        let shared = CachePadded::new(SharedPart { count: AtomicUsize::new(BODY), place });
        let header = FinishHeader { shared, ..FinishHeader::default() };
        Arc::new(Finish { header, clock, ..Finish::default() })
    }

    /// The finish that begins with that header.
    pub fn from_header(header: *const FinishHeader) -> *const Finish {
        header.cast()
    }

    /// Makes a finish for a body that runs on a fiber, or reuses a spare finish of the fiber.
    #[inline]
    pub fn begin(fiber: &Fiber) -> Arc<Finish> {
        let spare = fiber.header.spare.get();
        if spare.is_null() {
            let finish = Finish::new();
            finish.header.owner.store(std::ptr::from_ref(&fiber.budget).cast_mut(), Ordering::Relaxed);
            fiber.finishes.set(fiber.finishes.get() + 1);
            return finish;
        }
        // SAFETY: came out of an `Arc`, and is in the list once.
        let spare = unsafe { Arc::from_raw(Finish::from_header(spare)) };
        fiber.header.spare.set(spare.outer().cast());
        spare
    }

    /// Keeps a finish that has ended as a spare one, if nothing else refers to it.
    #[inline]
    pub fn keep(self: Arc<Self>, fiber: &Fiber) {
        if Arc::strong_count(&self) == 1 && self.home.is_unknown() {
            self.header.shared.count.store(BODY, Ordering::Relaxed);
            if self
                .header
                .owner
                .swap(std::ptr::from_ref(&fiber.budget).cast_mut(), Ordering::Relaxed)
                .is_null()
            {
                fiber.finishes.set(fiber.finishes.get() + 1);
            }
            self.set_opened(Finish::from_header(fiber.header.spare.get()), None);
            fiber.header.spare.set(Arc::into_raw(self).cast());
        }
    }

    /// The place of the activities of the finish with that header.
    ///
    /// # Safety
    /// The finish is alive.
    pub unsafe fn place_of(header: *const FinishHeader) -> Option<&'static PlaceHeader> {
        // SAFETY: alive by the caller; places are never freed.
        unsafe { (&*header).shared.place.load(Ordering::Relaxed).as_ref() }
    }

    /// Frees all spare finishes of an idle fiber.
    pub fn free_all_spares(fiber: &Fiber) {
        let mut next = Finish::from_header(fiber.header.spare.replace(std::ptr::null()));
        // SAFETY: each in the list came out of an `Arc`, and knows the next.
        while let Some(finish) = unsafe { next.as_ref() } {
            let outer = finish.outer();
            // SAFETY: as above; it is in the list once.
            drop(unsafe { Arc::from_raw(next) });
            next = outer;
        }
        fiber.finishes.set(0);
    }

    /// Frees the spare finishes of an idle fiber, except for `max_kept`. Returns the number of remaining
    /// ones.
    pub fn free_spares(fiber: &Fiber, max_kept: usize) -> usize {
        let mut last = Finish::from_header(fiber.header.spare.get());
        let mut kept = 0;
        // SAFETY: each in the list came out of an `Arc`, and knows the next.
        unsafe {
            while let Some(finish) = last.as_ref().filter(|_| kept < max_kept) {
                kept += 1;
                if kept < max_kept {
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

    /// Ends the body, waits for all activities, and returns the raised exceptions. `exception` is the
    /// exception of the body, or null. `fiber` is the fiber of the caller, if it has one.
    pub fn wait(self: Arc<Self>, fiber: Option<&Fiber>, exception: Ref) -> Vec<Handle> {
        let own = self.header.own.load(Ordering::Relaxed);
        // If only the body is left, nothing else can enter the finish any more.
        if own > 0 || self.header.shared.count.load(Ordering::Acquire) != BODY {
            self.header.own.store(0, Ordering::Relaxed);
            if self.header.shared.count.fetch_add(own.wrapping_sub(BODY), Ordering::AcqRel)
                != BODY.wrapping_sub(own)
            {
                self.poll_operations();
                // The activity that counts to zero sets the event.
                if self.home.is_unknown() {
                    self.ended.wait();
                } else {
                    self.ended.wait_for_remote(None);
                }
                self.ended.reset();
            }
        }
        let mut all = Vec::new();
        if self.header.touched.load(Ordering::Acquire) {
            self.header.touched.store(false, Ordering::Relaxed);
            all = std::mem::take(&mut *self.exceptions.lock());
            drop(std::mem::take(&mut *self.operations.lock()));
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

    /// Whether all activities of the finish have ended, without exceptions.
    #[inline]
    pub fn has_ended_quietly(&self) -> bool {
        let alone = self.header.own.load(Ordering::Relaxed) == 0
            && self.header.shared.count.load(Ordering::Acquire) == BODY;
        if alone {
            sanitizer::acquire(self);
        }
        alone && !self.header.touched.load(Ordering::Acquire)
    }

    /// Sets the enclosing finish, and the clock of a clocked finish.
    #[inline]
    pub fn set_opened(&self, outer: *const Finish, clock: Option<i64>) {
        self.header.outer.store(outer.cast_mut().cast(), Ordering::Relaxed);
        self.clock.store(clock.unwrap_or(NO_CLOCK), Ordering::Relaxed);
    }

    /// The enclosing finish that the same activity has opened, or null.
    #[inline]
    pub fn outer(&self) -> *const Finish {
        Finish::from_header(self.header.outer.load(Ordering::Relaxed))
    }

    /// The clock of a clocked finish.
    #[inline]
    pub fn clock(&self) -> Option<i64> {
        Some(self.clock.load(Ordering::Relaxed)).filter(|it| *it != NO_CLOCK)
    }

    /// Counts an activity that the body starts, or that an activity on the body's stack starts.
    #[inline]
    pub fn enter_own(&self) {
        self.header.own.store(self.header.own.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Counts the end of an activity that has run on the body's stack.
    #[inline]
    pub fn leave_own(&self, exception: Ref) {
        self.note(exception);
        self.header.own.store(self.header.own.load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
    }

    /// Adds the exception that an activity has raised; null for none.
    #[inline]
    pub fn note(&self, exception: Ref) {
        if !exception.is_null() {
            let handle = Handle::new(exception);
            self.exceptions.lock().push(handle);
            self.header.touched.store(true, Ordering::Release);
        }
    }

    /// The number of the finish, if other places know it.
    pub fn number(&self) -> Option<FinishId> {
        self.home.number()
    }

    /// Notes that there are further references to the finish from now on.
    pub fn is_known(&self) {
        self.header.touched.store(true, Ordering::Release);
    }

    /// Notes that an activity counted in `count` has ended. The caller calls [`Finish::leave_all`] later, for
    /// several activities at once.
    #[inline]
    pub fn end_one(&self, exception: Ref) {
        self.note(exception);
        sanitizer::release(self);
    }

    /// Subtracts that many ended activities from `count`.
    pub fn leave_all(&self, activities: usize) {
        if self.header.shared.count.fetch_sub(activities, Ordering::AcqRel) == activities {
            self.ended.set();
        }
    }

    /// Adds a device operation that counts as an activity of this finish. The waiting activity polls for its
    /// end for a while, before it is left to a thread that sleeps until then.
    pub fn watch(&self, operation: Completion) {
        self.header.touched.store(true, Ordering::Release);
        let mut operations = self.operations.lock();
        operations.push_back(operation);
        let oldest = if operations.len() > MAX_POLLED_OPERATIONS { operations.pop_front() } else { None };
        drop(operations);
        drop(oldest);
    }

    fn poll_operations(&self) {
        while self.header.shared.count.load(Ordering::Acquire) > 0 {
            let (operation, is_last) = {
                let mut operations = self.operations.lock();
                let Some(operation) = operations.pop_front() else { return };
                (operation, operations.is_empty())
            };
            // The thread sleeps only for the last operation, so that it sees the ends of the others.
            operation
                .poll(WaitPolicy { park: DEVICE_WAIT_POLICY.park.filter(|_| is_last), ..DEVICE_WAIT_POLICY });
        }
    }
}

impl FinishScope for Finish {
    fn enter(&self) {
        self.header.shared.count.fetch_add(1, Ordering::Relaxed);
    }

    fn leave(&self, exception: Ref) {
        self.note(exception);
        sanitizer::release(self);
        self.leave_all(1);
    }

    fn global_id(&self, this: &Arc<dyn FinishScope>) -> FinishId {
        self.home.global_id(this)
    }

    fn on_remote_spawn(&self, this: &Arc<dyn FinishScope>, place: PlaceId) {
        self.home.on_remote_spawn(this, place);
    }
}

/// The scope of activities that no finish waits for. Their exceptions are printed, except for those of a
/// cancellation.
pub struct Uncounted;

impl FinishScope for Uncounted {
    fn enter(&self) {}

    fn leave(&self, exception: Ref) {
        if !exception.is_null() && !cancellation::is_cancellation(exception) {
            crate::program::print_uncaught("uncounted activity", exception);
        }
    }

    fn global_id(&self, _: &Arc<dyn FinishScope>) -> FinishId {
        FinishId::NONE
    }

    fn on_remote_spawn(&self, _: &Arc<dyn FinishScope>, _: PlaceId) {}
}
