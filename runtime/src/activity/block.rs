//! Waiting: an activity leaves its thread until somebody wakes it.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use super::fiber::{self, Fiber, Switch};
use super::pool;
use super::queues::Task;
use crate::sanitizer;

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
        self.resume(pool::push);
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
pub struct Event(Mutex<EventState>);

#[derive(Default)]
enum EventState {
    #[default]
    Pending,
    Waited(Waker),
    Happened,
}

impl Event {
    /// Waits until it has happened.
    pub fn wait(&self) {
        /// The event outlives the wait: whoever waits holds it, and is woken by nobody before the lock is free again.
        struct Waited(*const Event);
        // SAFETY: see above.
        unsafe impl Send for Waited {}
        if matches!(*self.0.lock(), EventState::Happened) {
            sanitizer::acquire(self);
            return;
        }
        let event = Waited(self);
        block(move |waker| {
            // SAFETY: see above.
            let event = unsafe { &*{ event }.0 };
            let mut state = event.0.lock();
            match *state {
                EventState::Happened => {
                    drop(state);
                    sanitizer::acquire(event);
                    waker.wake();
                }
                _ => *state = EventState::Waited(waker),
            }
        });
    }

    /// It has not happened any more; nobody waits.
    pub fn reset(&self) {
        *self.0.lock() = EventState::Pending;
    }

    /// It happens.
    pub fn set(&self) {
        sanitizer::release(self);
        let before = std::mem::replace(&mut *self.0.lock(), EventState::Happened);
        if let EventState::Waited(waker) = before {
            waker.wake();
        }
    }
}
