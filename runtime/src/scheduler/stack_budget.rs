//! How deep activities are nested: one waits for another, which waits for another, each on a stack of its own. No stack overflows then, though a
//! recursion through `finish async` or `at` may have no end: it is ended as if all of it were on one stack.

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crate::apgas::cancellation::NO_JOB;
use crate::apgas::finish::Finish;
use crate::scheduler::fiber::{self, Fiber};
use crate::scheduler::stack;

/// The most bytes that activities may have on the stacks of one another: several times what one has alone.
const MOST: usize = 4 * stack::SIZE;
/// What a stack takes at least.
const LEAST: usize = 4096;

/// The epoch of an activity that has that of the finish that waits for it, and has not looked there yet.
const INHERITED: u64 = u64::MAX;

/// Fibers that there are.
static FIBERS: AtomicUsize = AtomicUsize::new(0);

/// Where a fiber's activity is among those that wait for each other. Others read it while it changes, and then may see what was before.
#[derive(Default)]
pub struct Nesting {
    /// The finish that waits for it.
    finish: AtomicPtr<Finish>,
    /// Bytes on the stacks of those that wait for it.
    outer: AtomicUsize,
    /// Bytes on its own stack when it was suspended last.
    own: AtomicUsize,
    /// The epoch of its job ([`crate::apgas::cancellation`]).
    epoch: AtomicU64,
}

impl Nesting {
    /// An activity of that finish, or of another place's, or of none, begins.
    pub fn begin(&self, finish: *const Finish) {
        self.finish.store(finish.cast_mut(), Ordering::Relaxed);
        self.own.store(0, Ordering::Relaxed);
        self.outer.store(0, Ordering::Relaxed);
        self.epoch.store(INHERITED, Ordering::Relaxed);
    }

    /// The activity has come from where activities wait for it with so many bytes on their stacks, in that epoch.
    pub fn begin_inside(&self, outer: usize, epoch: u64) {
        self.outer.store(outer, Ordering::Relaxed);
        self.epoch.store(epoch, Ordering::Relaxed);
    }

    /// The epoch of the activity's job: its own, or that of the activity whose finish waits for it.
    pub fn epoch(&self) -> u64 {
        let mut at = self;
        let epoch = loop {
            match at.epoch.load(Ordering::Relaxed) {
                INHERITED => {}
                known => break known,
            }
            // SAFETY: null, or it waits for the activity that looks.
            let finish = unsafe { at.finish.load(Ordering::Relaxed).as_ref() };
            match finish.and_then(Finish::owner) {
                Some(owner) => at = &owner.nesting,
                None => break NO_JOB,
            }
        };
        self.epoch.store(epoch, Ordering::Relaxed);
        epoch
    }

    /// It is suspended, with so many bytes on its stack.
    pub fn suspend(&self, own: usize) {
        self.own.store(own, Ordering::Relaxed);
        self.look();
    }

    /// Looks at those that wait for it: bytes on their stacks.
    fn look(&self) -> usize {
        // SAFETY: null, or it waits for the activity that looks.
        let finish = unsafe { self.finish.load(Ordering::Relaxed).as_ref() };
        let of = |bytes: &AtomicUsize| bytes.load(Ordering::Relaxed);
        let Some(owner) = finish.and_then(Finish::owner) else { return of(&self.outer) };
        let outer = of(&owner.nesting.outer) + of(&owner.nesting.own) + LEAST;
        self.outer.store(outer, Ordering::Relaxed);
        outer
    }
}

/// Bytes on the stacks of the calling activity and of those that wait for it, for its own stay at another place.
pub fn depth() -> usize {
    /// What that takes there, at least.
    const STAY: usize = 1 << 10;
    let here = 0_u8;
    let own = |fiber: &Fiber| fiber.stack().1.saturating_sub(&raw const here as usize);
    fiber::current().map_or(0, |fiber| fiber.nesting.look() + own(fiber) + STAY)
}

/// The same for an activity that it starts there and waits for: what that raises comes back in an exception at each step, with all that
/// is in it, which costs much more than what is on the stacks.
pub fn depth_of_started() -> usize {
    depth() + (16 << 10)
}

/// A fiber more.
pub fn count_fiber() {
    FIBERS.fetch_add(1, Ordering::Relaxed);
}

/// Whether the calling activity is so deep in others that wait for it that it must not begin to wait for one more: says of what there are
/// too many.
pub fn is_too_deep() -> Option<String> {
    let fiber: &Fiber = fiber::current()?;
    if fiber.nesting.look() > MOST {
        let most = MOST >> 20;
        return Some(format!("activities that wait for one another have used up their stacks of {most} MiB"));
    }
    let (made, most) = (FIBERS.load(Ordering::Relaxed), stack::most());
    (made > most && made - fiber::count_idle() > most)
        .then(|| format!("more than {most} activities wait, each with a stack of its own"))
}
