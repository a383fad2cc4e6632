//! Waiting: an activity leaves its thread until somebody wakes it.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::base::sanitizer;
use crate::scheduler::admission;
use crate::scheduler::fiber::{self, Fiber, Switch};
use crate::scheduler::pool::{self, Attention};
use crate::scheduler::queues::Task;

/// Wakes one waiting activity (or thread), once.
pub struct Waker(Kind);

enum Kind {
    Fiber(&'static Fiber),
    Thread(Arc<Signal>),
}

#[derive(Default)]
struct Signal {
    set: Mutex<bool>,
    changed: Condvar,
}

impl Waker {
    /// The activity may go on.
    pub fn wake(self) {
        self.resume(pool::push_resumed);
    }

    /// The activity may go on after all others that may.
    pub fn wake_last(self) {
        self.resume(pool::push_last);
    }

    fn resume(self, push: fn(Task)) {
        match self.0 {
            Kind::Fiber(fiber) => {
                sanitizer::release(fiber);
                pool::count_blocked(false);
                push(Task::Resume(fiber));
            }
            Kind::Thread(signal) => {
                sanitizer::release(Arc::as_ptr(&signal));
                *signal.set.lock() = true;
                signal.changed.notify_one();
            }
        }
    }
}

/// Suspends the calling activity, then hands its waker to `register`, which stores it where it will be found, or uses it
/// at once because what was waited for has come. A thread outside the pool is blocked instead.
pub fn block(register: impl FnOnce(Waker) + 'static) {
    match fiber::current() {
        Some(fiber) => {
            pool::count_blocked(true);
            fiber.leave(Switch::Block(Box::new(move |fiber| register(Waker(Kind::Fiber(fiber))))));
            sanitizer::acquire(fiber);
        }
        None => {
            let signal = Arc::new(Signal::default());
            register(Waker(Kind::Thread(Arc::clone(&signal))));
            let mut set = signal.set.lock();
            while !*set {
                signal.changed.wait(&mut set);
            }
            sanitizer::acquire(Arc::as_ptr(&signal));
        }
    }
}

/// Lets other activities run.
pub fn yield_now() {
    if fiber::current().is_some() {
        block(Waker::wake_last);
    }
}

/// Something that happens once, and can be waited for by one activity.
#[derive(Default)]
pub struct Event {
    /// One of the states below.
    state: AtomicU8,
    /// Who waits. Of the one that waits until the state says [`WAITED`], and then of whoever ends that state.
    waker: UnsafeCell<Option<Waker>>,
}

const PENDING: u8 = 0;
const WAITED: u8 = 1;
const HAPPENED: u8 = 2;

// SAFETY: see `Event::waker`.
unsafe impl Sync for Event {}

impl Event {
    fn has_happened(&self) -> bool {
        self.state.load(Ordering::Acquire) == HAPPENED
    }

    /// Waits until it has happened.
    pub fn wait(&self) {
        self.wait_with(None, || ());
    }

    /// The same for what another place does; with the right to deal with messages, if the caller has it.
    pub fn wait_for_others(&self, attention: Option<Attention>) {
        self.wait_with(attention, admission::wait);
    }

    /// Waits, with something held if the caller leaves its thread.
    fn wait_with<T>(&self, attention: Option<Attention>, hold: impl FnOnce() -> T) {
        /// The event outlives the wait: whoever waits holds it, and nobody touches it any more who wakes that one.
        struct Waited(*const Event);
        // SAFETY: see above.
        unsafe impl Send for Waited {}
        // Often it is a message, which this thread can as well read where it is.
        let attend = |attention| pool::attend_until(attention, || self.has_happened());
        let begin = || if self.has_happened() { None } else { pool::begin_to_attend() };
        if attention.or_else(begin).is_some_and(attend) || self.has_happened() {
            sanitizer::acquire(self);
            return;
        }
        let event = Waited(self);
        let _held = hold();
        block(move |waker| {
            // SAFETY: see above.
            let event = unsafe { &*{ event }.0 };
            // SAFETY: nobody else looks at it in this state.
            unsafe { *event.waker.get() = Some(waker) };
            if event.state.compare_exchange(PENDING, WAITED, Ordering::AcqRel, Ordering::Acquire).is_err() {
                sanitizer::acquire(event);
                // SAFETY: as above; it has happened, and the activity still waits.
                let waker = unsafe { (*event.waker.get()).take() };
                waker.into_iter().for_each(Waker::wake);
            }
        });
    }

    /// It has not happened any more; nobody waits.
    pub fn reset(&self) {
        self.state.store(PENDING, Ordering::Relaxed);
    }

    /// It happens.
    pub fn set(&self) {
        sanitizer::release(self);
        if self.state.swap(HAPPENED, Ordering::AcqRel) == WAITED {
            // SAFETY: this thread alone has ended the state.
            let waker = unsafe { (*self.waker.get()).take() };
            waker.into_iter().for_each(Waker::wake);
        }
    }
}
