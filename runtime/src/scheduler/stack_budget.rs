//! Stack budget of nested activities. In an infinite recursion through `finish async` or `at`, each activity
//! waits for the next one, and each has its own stack, so that no stack overflows. The budget limits the
//! total size of these stacks, so that the recursion ends as if all of it were on one stack.
//!
//! The nesting is a tree: the parent of an activity is its finish, and the parent of a finish is the activity
//! that has opened it.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

use crate::base::place::PlaceHeader;

/// The epoch of activities that belong to no job ([`crate::apgas::cancellation`]).
pub const NO_JOB: u64 = 0;

/// Minimum number of bytes that a stack counts for.
const MIN_STACK_BYTES: usize = 4096;

/// Marks an activity that inherits the epoch of its finish, and has not read it yet.
const INHERITED: u64 = u64::MAX;

/// The part of a finish that the scheduler and generated code access; `apgas::finish::Finish` begins with it.
#[derive(Default)]
#[repr(C)]
pub struct FinishHeader {
    /// The enclosing finish that the same activity has opened; only that activity uses this. For a spare
    /// finish, the next one in the list of spare ones.
    pub outer: AtomicPtr<FinishHeader>,
    /// Number of activities that the body has started, minus the number that have ended on its stack;
    /// negative (as a wrapped number) if others have started those.
    pub own: AtomicUsize,
    /// Whether there may be exceptions, device operations, or further references to the finish.
    pub touched: AtomicBool,
    /// The budget of the fiber that has opened the finish, if it is known.
    pub owner: AtomicPtr<StackBudget>,
    /// What threads other than the body's access.
    pub shared: CachePadded<SharedPart>,
}

/// The part of a finish that all threads access.
#[derive(Default)]
#[repr(C)]
pub struct SharedPart {
    /// Number of activities that others have started, minus the number that have ended elsewhere than on the
    /// body's stack; plus the weight of the body until it has ended.
    pub count: AtomicUsize,
    /// The place of its activities; null only before the finish is in use.
    pub place: AtomicPtr<PlaceHeader>,
}

impl FinishHeader {
    /// The budget of the fiber that has opened it, if that is known.
    fn owner(&self) -> Option<&StackBudget> {
        // SAFETY: null, or part of a fiber; fibers are never freed.
        unsafe { self.owner.load(Ordering::Relaxed).as_ref() }
    }
}

/// Position of a fiber's activity in the nesting. Other threads may read it during a change, and then see the
/// old values.
#[derive(Default)]
pub struct StackBudget {
    /// The finish that waits for the activity.
    finish: AtomicPtr<FinishHeader>,
    /// Number of bytes on the stacks of the activities that wait for this one.
    outer: AtomicUsize,
    /// Number of bytes on the activity's own stack at its last suspension.
    own: AtomicUsize,
    /// The epoch of the activity's job.
    epoch: AtomicU64,
}

impl StackBudget {
    /// Notes that an activity of that finish begins; null for a finish of another place, or none.
    pub fn begin(&self, finish: *const FinishHeader) {
        self.finish.store(finish.cast_mut(), Ordering::Relaxed);
        self.own.store(0, Ordering::Relaxed);
        self.outer.store(0, Ordering::Relaxed);
        self.epoch.store(INHERITED, Ordering::Relaxed);
    }

    /// Notes that the activity comes from another place, where activities with `outer` bytes on their stacks
    /// wait for it, and that its job has that epoch.
    pub fn begin_inside(&self, outer: usize, epoch: u64) {
        self.outer.store(outer, Ordering::Relaxed);
        self.epoch.store(epoch, Ordering::Relaxed);
    }

    fn finish(&self) -> Option<&FinishHeader> {
        // SAFETY: null, or it waits for the activity of this fiber, which reads this.
        unsafe { self.finish.load(Ordering::Relaxed).as_ref() }
    }

    /// The epoch of the activity's job: its own, or the epoch inherited from the activity whose finish waits
    /// for it.
    pub fn epoch(&self) -> u64 {
        let mut at = self;
        let epoch = loop {
            match at.epoch.load(Ordering::Relaxed) {
                INHERITED => {}
                known => break known,
            }
            match at.finish().and_then(FinishHeader::owner) {
                Some(owner) => at = owner,
                None => break NO_JOB,
            }
        };
        self.epoch.store(epoch, Ordering::Relaxed);
        epoch
    }

    /// Notes that the activity is suspended, with that many bytes on its stack.
    pub fn suspend(&self, own: usize) {
        self.own.store(own, Ordering::Relaxed);
        self.update_outer();
    }

    /// Computes the number of bytes on the stacks of the activities that wait for this one.
    pub fn update_outer(&self) -> usize {
        let of = |bytes: &AtomicUsize| bytes.load(Ordering::Relaxed);
        let Some(owner) = self.finish().and_then(FinishHeader::owner) else { return of(&self.outer) };
        let outer = of(&owner.outer) + of(&owner.own) + MIN_STACK_BYTES;
        self.outer.store(outer, Ordering::Relaxed);
        outer
    }
}
