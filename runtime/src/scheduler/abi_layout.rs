//! What generated code does itself, without a call of the runtime: it opens a finish, starts an activity of it, takes the activity back
//! and runs it, and closes the finish. All that is in the thread's own memory but for two atomic operations of the queue, and costs less
//! than the calls would. What is not so simple, it leaves to the runtime ([`crate::natives::activities`]).
//!
//! The header of generated code (`apg_template.h`) says the same about where things are as the tests at the end of this file.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use crate::apgas::activity::Activity;
use crate::apgas::finish::Finish;
use crate::scheduler::deque::Deque;
use crate::scheduler::sleep::Sleepers;

/// Something alone in its part of the memory, so that threads do not disturb each other.
#[derive(Default, Debug)]
#[repr(C, align(128))]
pub struct Apart<T>(pub T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Apart<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// The part of a fiber that generated code knows.
#[repr(C)]
pub struct Shared {
    /// The activity that it runs.
    pub activity: Cell<*mut Activity>,
    /// The queue of the thread that runs it.
    queue: Cell<*const Deque>,
    /// Finishes that have ended, to be used again: each knows the next.
    pub spare: Cell<*const Finish>,
    /// The threads without work.
    sleepers: Cell<*const Sleepers>,
}

impl Default for Shared {
    fn default() -> Shared {
        Shared {
            activity: Cell::new(std::ptr::null_mut()),
            queue: Cell::new(std::ptr::null()),
            spare: Cell::new(std::ptr::null()),
            sleepers: Cell::new(std::ptr::null()),
        }
    }
}

impl Shared {
    /// The fiber is run by the thread with this queue.
    pub fn set_queue(&self, (queue, sleepers): (*const Deque, *const Sleepers)) {
        self.queue.set(queue);
        self.sleepers.set(sleepers);
    }
}

/// Whether generated code may do all that itself: activities are neither recorded nor watched.
pub fn is_open() -> bool {
    !crate::profile::on() && !crate::base::sanitizer::watches_threads()
}

/// What the header says.
const _: () = {
    use std::mem::offset_of;

    use crate::scheduler::deque::{Buffer, Owner};
    use crate::scheduler::fiber::Fiber;
    assert!(
        offset_of!(Finish, outer) == 0 && offset_of!(Finish, own) == 8 && offset_of!(Finish, touched) == 16
    );
    assert!(offset_of!(Finish, count) == 128);
    assert!(crate::apgas::finish::BODY == 1 << 48);
    assert!(offset_of!(Activity, open) == 0 && offset_of!(Activity, clocks) == 8);
    assert!(offset_of!(Activity, atomic) == 16 && offset_of!(Activity, nested) == 20);
    assert!(
        offset_of!(Fiber, shared) == 0 && offset_of!(Shared, activity) == 0 && offset_of!(Shared, queue) == 8
    );
    assert!(offset_of!(Shared, spare) == 16 && offset_of!(Shared, sleepers) == 24);
    assert!(
        offset_of!(Deque, top) == 0 && offset_of!(Deque, bottom) == 128 && offset_of!(Deque, buffer) == 256
    );
    assert!(offset_of!(Deque, owner) == 384);
    assert!(offset_of!(Owner, top) == 0 && offset_of!(Owner, room) == 8 && offset_of!(Owner, long) == 16);
    assert!(offset_of!(Buffer, slots) == 0 && offset_of!(Buffer, mask) == 8);
    assert!(offset_of!(Sleepers, asleep) == 0 && offset_of!(Sleepers, looking) == 128);
};
