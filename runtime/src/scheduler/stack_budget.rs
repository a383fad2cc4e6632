//! Stack budget of nested activities: one waits for another, which waits for another, each on a stack of its
//! own. No stack overflows then, though a recursion through `finish async` or `at` may have no end: it ends
//! as if all of it were on one stack.
//!
//! The nesting is a tree: an activity belongs to a finish, which belongs to the activity that has opened it.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

/// The epoch of activities that belong to no job ([`crate::apgas::cancellation`]).
pub const NO_JOB: u64 = 0;

/// Bytes that a stack takes at least.
const MIN_STACK_BYTES: usize = 4096;

/// The epoch of an activity that has that of the finish that waits for it, and has not read it yet.
const INHERITED: u64 = u64::MAX;

/// The part of a finish that the scheduler and generated code know; `apgas::finish::Finish` begins with it.
#[derive(Default)]
#[repr(C)]
pub struct FinishHeader {
    /// The finish around it that the same activity has opened; only that activity uses this. Of a finish that
    /// waits to be used again, the next of those.
    pub outer: AtomicPtr<FinishHeader>,
    /// Activities that the body has started, less those that have run on its stack: below zero where others
    /// had started those.
    pub own: AtomicUsize,
    /// There may be exceptions, device operations, or others who know it.
    pub touched: AtomicBool,
    /// The budget of the fiber that opens it, if that is known.
    pub owner: AtomicPtr<StackBudget>,
    /// Activities that others have started and that have not ended, less those that others have run to their
    /// end, and the body.
    pub count: CachePadded<AtomicUsize>,
}

impl FinishHeader {
    /// The budget of the fiber that has opened it, if that is known.
    fn owner(&self) -> Option<&StackBudget> {
        // SAFETY: null, or part of a fiber; fibers are never freed.
        unsafe { self.owner.load(Ordering::Relaxed).as_ref() }
    }
}

/// The position of a fiber's activity in the nesting. Others read it while it changes, and then may see what
/// was before.
#[derive(Default)]
pub struct StackBudget {
    /// The finish that waits for the activity.
    finish: AtomicPtr<FinishHeader>,
    /// Bytes on the stacks of the activities that wait for it.
    outer: AtomicUsize,
    /// Bytes on its own stack when it was suspended last.
    own: AtomicUsize,
    /// The epoch of its job.
    epoch: AtomicU64,
}

impl StackBudget {
    /// An activity of that finish begins; null stands for one of another place, or none.
    pub fn begin(&self, finish: *const FinishHeader) {
        self.finish.store(finish.cast_mut(), Ordering::Relaxed);
        self.own.store(0, Ordering::Relaxed);
        self.outer.store(0, Ordering::Relaxed);
        self.epoch.store(INHERITED, Ordering::Relaxed);
    }

    /// The activity comes from where activities with `outer` bytes on their stacks wait for it, in that
    /// epoch.
    pub fn begin_inside(&self, outer: usize, epoch: u64) {
        self.outer.store(outer, Ordering::Relaxed);
        self.epoch.store(epoch, Ordering::Relaxed);
    }

    fn finish(&self) -> Option<&FinishHeader> {
        // SAFETY: null, or it waits for the activity of this fiber, which reads this.
        unsafe { self.finish.load(Ordering::Relaxed).as_ref() }
    }

    /// The epoch of the activity's job: its own, or that of the activity whose finish waits for it.
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

    /// The activity is suspended, with that many bytes on its stack.
    pub fn suspend(&self, own: usize) {
        self.own.store(own, Ordering::Relaxed);
        self.update_outer();
    }

    /// Bytes on the stacks of those that wait for the activity.
    pub fn update_outer(&self) -> usize {
        let of = |bytes: &AtomicUsize| bytes.load(Ordering::Relaxed);
        let Some(owner) = self.finish().and_then(FinishHeader::owner) else { return of(&self.outer) };
        let outer = of(&owner.outer) + of(&owner.own) + MIN_STACK_BYTES;
        self.outer.store(outer, Ordering::Relaxed);
        outer
    }
}
