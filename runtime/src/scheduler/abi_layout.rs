//! Layouts that generated code reads and writes itself: it opens a finish, starts an activity of it, takes
//! the activity back and runs it, and closes the finish, without a call of the runtime.
//!
//! All that is in the thread's own memory but for two atomic operations of the deque, and costs less than the
//! calls would. What is not so simple it leaves to the runtime ([`crate::natives::activities`]). The header
//! of generated code (`include/apg.h`) states the same offsets as the assertions at the end of this file, of
//! [`crate::scheduler::fiber`], [`crate::apgas::activity`] and
//! [`crate::apgas::finish`].

use std::cell::Cell;

use crate::scheduler::deque::Deque;
use crate::scheduler::sleep::Sleep;
use crate::scheduler::stack_budget::FinishHeader;

/// The part of a fiber that generated code knows.
#[repr(C)]
pub struct FiberHeader {
    /// The activity that it runs (`apgas::activity::Activity`), or null.
    pub activity: Cell<*mut ()>,
    /// The deque of the worker that runs it.
    deque: Cell<*const Deque>,
    /// Finishes that have ended, to be used again: a list linked by `outer`.
    pub spare: Cell<*const FinishHeader>,
    /// Idle workers.
    sleep: Cell<*const Sleep>,
}

impl Default for FiberHeader {
    fn default() -> FiberHeader {
        FiberHeader {
            activity: Cell::new(std::ptr::null_mut()),
            deque: Cell::new(std::ptr::null()),
            spare: Cell::new(std::ptr::null()),
            sleep: Cell::new(std::ptr::null()),
        }
    }
}

impl FiberHeader {
    /// The fiber is run by the worker with this deque.
    pub fn set_worker(&self, (deque, sleep): (*const Deque, *const Sleep)) {
        self.deque.set(deque);
        self.sleep.set(sleep);
    }
}

/// Whether generated code may start activities itself: they are neither profiled nor watched by a sanitizer.
pub fn is_inline_spawn_allowed() -> bool {
    !crate::profile::on() && !crate::base::sanitizer::watches_threads()
}

const _: () = {
    use std::mem::offset_of;

    use crate::scheduler::deque::{Buffer, Owner};
    use crate::scheduler::stack_budget::SharedPart;
    assert!(offset_of!(FinishHeader, outer) == 0 && offset_of!(FinishHeader, own) == 8);
    assert!(offset_of!(FinishHeader, touched) == 16 && offset_of!(FinishHeader, shared) == 128);
    assert!(offset_of!(SharedPart, count) == 0);
    assert!(offset_of!(FiberHeader, activity) == 0 && offset_of!(FiberHeader, deque) == 8);
    assert!(offset_of!(FiberHeader, spare) == 16 && offset_of!(FiberHeader, sleep) == 24);
    assert!(offset_of!(Deque, top) == 0 && offset_of!(Deque, bottom) == 128);
    assert!(offset_of!(Deque, buffer) == 256 && offset_of!(Deque, owner) == 384);
    assert!(offset_of!(Owner, top) == 0 && offset_of!(Owner, room) == 8 && offset_of!(Owner, long) == 16);
    assert!(offset_of!(Buffer, slots) == 0 && offset_of!(Buffer, mask) == 8);
    assert!(offset_of!(Sleep, sleeping) == 0 && offset_of!(Sleep, searching) == 128);
};

#[cfg(test)]
mod tests {
    use crossbeam_utils::CachePadded;

    /// Generated code finds a padded field at the offset of its padding.
    #[test]
    fn padding_follows_the_value() {
        let padded = CachePadded::new(7_u64);
        assert_eq!(std::ptr::from_ref(&*padded).cast::<u8>(), std::ptr::from_ref(&padded).cast::<u8>());
        assert_eq!(size_of_val(&padded), 128);
    }
}
