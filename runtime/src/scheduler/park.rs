//! Parking: an activity leaves its thread until it is woken.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::base::sanitizer;
use crate::scheduler::fiber::{self, Fiber, Switch};
use crate::scheduler::poll::{self, PollGuard};
use crate::scheduler::task::Task;
use crate::scheduler::{admission, pool, quiescence};

/// Wakes one waiting activity (or thread), once.
pub struct Waker(Parked);

enum Parked {
    Fiber(&'static Fiber),
    Thread(Arc<ThreadSignal>),
}

#[derive(Default)]
struct ThreadSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl Waker {
    /// The activity may continue.
    pub fn wake(self) {
        self.resume(pool::push_resumed);
    }

    /// The activity may continue after all others that may.
    pub fn resume_yielding(self) {
        self.resume(pool::push_last);
    }

    fn resume(self, push: fn(Task)) {
        match self.0 {
            Parked::Fiber(fiber) => {
                sanitizer::release(fiber);
                quiescence::count_unblocked();
                push(Task::Resume(fiber));
            }
            Parked::Thread(signal) => {
                sanitizer::release(Arc::as_ptr(&signal));
                *signal.is_set.lock() = true;
                signal.changed.notify_one();
            }
        }
    }
}

/// Suspends the calling activity, then hands its waker to `register`, which stores it where it will be found,
/// or uses it at once because what was waited for has come. A thread outside the pool is blocked instead.
pub fn block(register: impl FnOnce(Waker) + 'static) {
    match fiber::current() {
        Some(fiber) => {
            quiescence::count_blocked();
            fiber.leave(Switch::Block(Box::new(move |fiber| register(Waker(Parked::Fiber(fiber))))));
            sanitizer::acquire(fiber);
        }
        None => {
            let signal = Arc::new(ThreadSignal::default());
            register(Waker(Parked::Thread(Arc::clone(&signal))));
            let mut is_set = signal.is_set.lock();
            while !*is_set {
                signal.changed.wait(&mut is_set);
            }
            sanitizer::acquire(Arc::as_ptr(&signal));
        }
    }
}

/// Lets other activities run.
pub fn yield_now() {
    if fiber::current().is_some() {
        block(Waker::resume_yielding);
    }
}

/// The state of an [`Event`].
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum EventState {
    Pending,
    /// An activity waits, and its waker is stored.
    Waited,
    Happened,
}

/// An [`EventState`] that threads share.
#[derive(Default)]
struct AtomicEventState(AtomicU8);

impl AtomicEventState {
    fn has_happened(&self) -> bool {
        self.0.load(Ordering::Acquire) == EventState::Happened as u8
    }

    /// From pending to waited; false if it has happened.
    fn begin_wait(&self) -> bool {
        let (from, to) = (EventState::Pending as u8, EventState::Waited as u8);
        self.0.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// It has happened. Whether an activity waited.
    fn happen(&self) -> bool {
        self.0.swap(EventState::Happened as u8, Ordering::AcqRel) == EventState::Waited as u8
    }

    fn reset(&self) {
        self.0.store(EventState::Pending as u8, Ordering::Relaxed);
    }
}

/// Something that happens once, and can be waited for by one activity.
#[derive(Default)]
pub struct Event {
    state: AtomicEventState,
    /// Wakes the waiting activity. Belongs to that activity until the state is [`EventState::Waited`], and
    /// then to the thread that ends that state.
    waker: UnsafeCell<Option<Waker>>,
}

// SAFETY: `waker` is used by one thread at a time, as its comment says.
unsafe impl Sync for Event {}

impl Event {
    fn has_happened(&self) -> bool {
        self.state.has_happened()
    }

    /// Waits until it has happened.
    pub fn wait(&self) {
        self.wait_with(None, || ());
    }

    /// The same for what another place does; with the right to poll for messages, if the caller has it.
    pub fn wait_for_remote(&self, guard: Option<PollGuard>) {
        self.wait_with(guard, admission::begin_remote_wait);
    }

    /// Waits, with something held if the caller leaves its thread.
    fn wait_with<T>(&self, guard: Option<PollGuard>, hold: impl FnOnce() -> T) {
        /// The event outlives the wait: the waiting activity holds it, and nobody uses it after waking that.
        struct Waited(*const Event);
        // SAFETY: the event outlives the wait, and is `Sync`.
        unsafe impl Send for Waited {}
        // Often it is a message, which this thread can read itself.
        let poll = |guard| poll::poll_until(guard, || self.has_happened());
        let begin = || if self.has_happened() { None } else { poll::begin_polling_or_reading() };
        if guard.or_else(begin).is_some_and(poll) || self.has_happened() {
            poll::continue_without_wait();
            sanitizer::acquire(self);
            return;
        }
        let event = Waited(self);
        let _held = hold();
        block(move |waker| {
            // SAFETY: the event outlives the wait.
            let event = unsafe { &*{ event }.0 };
            // SAFETY: in the state before `Waited`, the waker belongs to this thread.
            unsafe { *event.waker.get() = Some(waker) };
            if !event.state.begin_wait() {
                sanitizer::acquire(event);
                // SAFETY: it has happened before it was `Waited`: the waker still belongs to this thread.
                let waker = unsafe { (*event.waker.get()).take() };
                waker.into_iter().for_each(Waker::wake);
            }
        });
        // It may have happened at once, so that its worker has not searched.
        poll::continue_without_wait();
    }

    /// It has not happened; nobody waits.
    pub fn reset(&self) {
        self.state.reset();
    }

    /// It happens.
    pub fn set(&self) {
        sanitizer::release(self);
        if self.state.happen() {
            // SAFETY: this thread alone has ended the state `Waited`.
            let waker = unsafe { (*self.waker.get()).take() };
            waker.into_iter().for_each(Waker::wake);
        }
    }
}
