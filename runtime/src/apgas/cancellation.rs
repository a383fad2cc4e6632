//! Cooperative cancellation of jobs, by epochs.
//!
//! A *job* is an activity that `Runtime.submit` starts, with everything that it starts in turn at any place.
//! It belongs to the epoch that its place had at that time; activities inherit the epoch, and messages carry
//! it. `Runtime.cancelAll` raises the epoch of all places: a job of an older epoch is cancelled. Its
//! activities that have not begun never begin. The others raise a CancellationException at their next
//! operation that starts something or waits, and those that wait are woken to do so. Activities that belong
//! to no job, such as `main`, are never cancelled.
//!
//! Operations without a call of the runtime do not check the epoch. Generated code does without such calls
//! only while no activity of a cancelled job is alive at the place ([`Runtime::quick`]).
//!
//! [`Runtime::quick`]: crate::abi::Runtime

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::base::place::{self, FIRST_EPOCH, Part, PlaceHeader, PlacePart};
use crate::heap::Ref;
use crate::layout::{ExceptionKind, Outcome, Raised};
use crate::program;
use crate::scheduler::{abi_layout, fiber};

pub use crate::scheduler::stack_budget::NO_JOB;

/// What wakes the waiting activities of cancelled jobs.
static ON_CANCEL: OnceLock<fn()> = OnceLock::new();
/// Jobs of a place.
#[derive(Default)]
pub(crate) struct Jobs {
    /// By epoch: activities of jobs that are alive here. Those that are no more than their closure are not
    /// counted: a finish of a counted activity waits for them.
    alive: Mutex<BTreeMap<u64, usize>>,
    /// Whether generated code may start activities itself, where it looks for that.
    quick: OnceLock<&'static AtomicU64>,
}

// SAFETY: the only type with that part.
unsafe impl PlacePart for Jobs {
    const PART: Part = Part::Jobs;
}

fn jobs() -> &'static Jobs {
    place::part()
}

/// The epoch of this place, which new jobs belong to.
pub fn place_epoch() -> u64 {
    place::current().epoch.load(Ordering::SeqCst)
}

/// Whether a place has ever cancelled jobs.
#[inline]
pub fn has_cancelled(place: &PlaceHeader) -> bool {
    place.epoch.load(Ordering::Relaxed) > FIRST_EPOCH
}

/// The epoch of the calling activity.
pub fn activity_epoch() -> u64 {
    fiber::current().map_or(NO_JOB, |fiber| fiber.budget.epoch())
}

/// Whether jobs of that epoch are cancelled here.
pub fn is_past(epoch: u64) -> bool {
    epoch != NO_JOB && epoch < place_epoch()
}

/// Whether the job of the calling activity is cancelled.
#[inline]
pub fn is_cancelled() -> bool {
    has_cancelled(place::current()) && is_past(activity_epoch())
}

/// Raises a CancellationException if the job of the calling activity is cancelled.
#[inline]
pub fn check() -> Outcome<()> {
    if is_cancelled() { Err(exception()) } else { Ok(()) }
}

/// What activities of cancelled jobs raise.
#[cold]
pub fn exception() -> Raised {
    program::exception(ExceptionKind::Cancellation, "the job of this activity was cancelled")
}

/// Whether an exception is one of [`exception`].
pub fn is_cancellation(exception: Ref) -> bool {
    exception.ty().name() == ExceptionKind::Cancellation.class()
}

/// Cancels all jobs of this place: its new epoch, which other places are to be raised to.
pub fn cancel_here() -> u64 {
    let next = |epoch: u64| Some(epoch.saturating_add(1));
    let before = place::current().epoch.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next);
    let epoch = before.unwrap_or_else(|epoch| epoch).saturating_add(1);
    apply();
    epoch
}

/// Another place has come to that epoch.
#[inline]
pub fn raise_to(epoch: u64) {
    let own = &place::current().epoch;
    if epoch > own.load(Ordering::Relaxed) && own.fetch_max(epoch, Ordering::SeqCst) < epoch {
        apply();
    }
}

/// Has the activities of the jobs that are cancelled now notice it.
fn apply() {
    jobs().set_quick();
    if let Some(wake) = ON_CANCEL.get() {
        wake();
    }
}

/// Sets what wakes the waiting activities of cancelled jobs. Ignored after the first call.
pub fn set_on_cancel(wake: fn()) {
    ON_CANCEL.get_or_init(|| wake);
}

/// Generated code of this place finds there whether it may start activities itself.
pub fn control(quick: &'static AtomicU64) {
    if jobs().quick.set(quick).is_ok() {
        jobs().set_quick();
    }
}

impl Jobs {
    /// Generated code may start activities itself unless a cancelled job is alive here.
    fn set_quick(&self) {
        self.set_quick_of(&self.alive.lock());
    }

    fn set_quick_of(&self, alive: &BTreeMap<u64, usize>) {
        let has_cancelled = alive.keys().next().is_some_and(|epoch| is_past(*epoch));
        if let Some(quick) = self.quick.get() {
            let is_allowed = abi_layout::is_inline_spawn_allowed() && !has_cancelled;
            quick.store(u64::from(is_allowed), Ordering::Relaxed);
        }
    }
}

/// The job of an activity, which counts as alive.
pub struct Membership(u64);

impl Membership {
    /// Of an activity without a job.
    pub const NONE: Membership = Membership(NO_JOB);

    /// Of an activity of a job of that epoch.
    pub fn new(epoch: u64) -> Membership {
        if epoch != NO_JOB {
            raise_to(epoch);
            let mut alive = jobs().alive.lock();
            *alive.entry(epoch).or_insert(0) += 1;
            jobs().set_quick_of(&alive);
        }
        Membership(epoch)
    }

    /// The epoch of the job.
    pub fn epoch(&self) -> u64 {
        self.0
    }

    #[cold]
    fn end(&self) {
        let mut alive = jobs().alive.lock();
        if let Some(count) = alive.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                alive.remove(&self.0);
                jobs().set_quick_of(&alive);
            }
        }
    }
}

impl Drop for Membership {
    #[inline]
    fn drop(&mut self) {
        if self.0 != NO_JOB {
            self.end();
        }
    }
}
