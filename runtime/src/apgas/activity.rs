//! Activities: lightweight threads that `async` starts (X10 language specification 2.6, "Activities"), and
//! access to the calling activity ([`activity`]).

use std::sync::Arc;

use crate::apgas::cancellation::{self, Membership};
use crate::apgas::clock::Clocks;
use crate::apgas::engine::FinishScope;
use crate::apgas::finish::Finish;
use crate::apgas::finish::id::FinishId;
use crate::base::place::{self, PlaceHeader};
use crate::base::sanitizer;
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::profile;
use crate::scheduler::fiber::{self, Fiber};
use crate::scheduler::pool;
use crate::scheduler::stack_budget::FinishHeader;
use crate::scheduler::task::{ActivityTask, Task};

/// What an activity runs.
pub enum Work {
    /// A closure of the program.
    Closure(Handle),
    /// A function of the runtime; it returns an exception or null.
    Runtime(Box<dyn FnOnce() -> Ref + Send>),
}

/// The finish that an activity belongs to.
pub enum ActivityScope {
    /// A finish of this place, from an [`Arc`]. It counts the activity, and so outlives it.
    Finish(*const Finish),
    /// A finish of this place, for an activity that runs on the stack of the finish's body.
    Own(*const Finish),
    /// Any other scope.
    Other(Arc<dyn FinishScope>),
}

impl ActivityScope {
    fn shared(&self) -> Arc<dyn FinishScope> {
        match self {
            // SAFETY: alive, and from an `Arc`.
            ActivityScope::Finish(finish) | ActivityScope::Own(finish) => unsafe { share(*finish) },
            ActivityScope::Other(scope) => Arc::clone(scope),
        }
    }

    fn leave(&self, fiber: &Fiber, exception: Ref) {
        match self {
            ActivityScope::Finish(finish) => {
                // SAFETY: alive until all have left.
                unsafe { &**finish }.end_one(exception);
                count_end(fiber, *finish);
            }
            // SAFETY: as above.
            ActivityScope::Own(finish) => unsafe { &**finish }.leave_own(exception),
            ActivityScope::Other(scope) => scope.leave(exception),
        }
    }
}

/// Adds a reference to a finish.
///
/// # Safety
/// The finish is alive, and came out of an [`Arc`].
unsafe fn share(finish: *const Finish) -> Arc<Finish> {
    // SAFETY: by the caller.
    unsafe {
        (*finish).is_known();
        Arc::increment_strong_count(finish);
        Arc::from_raw(finish)
    }
}

/// Counts an activity of the finish that has ended on this fiber. [`report_ends`] reports several to the
/// finish at once.
#[inline]
fn count_end(fiber: &Fiber, finish: *const Finish) {
    report_ends(fiber, finish.cast());
    fiber.ended.set((finish.cast(), fiber.ended.get().1 + 1));
}

/// Takes back one counted end, if it is of this finish: a new activity takes the place of the ended one.
#[inline]
fn take_end(fiber: &Fiber, finish: *const Finish) -> bool {
    let (ended, count) = fiber.ended.get();
    let takes = ended == finish.cast() && count > 0;
    if takes {
        fiber.ended.set((ended, count - 1));
    }
    takes
}

/// Reports the counted ends to their finish, unless it is `next`, which cannot end yet.
#[inline]
pub fn report_ends(fiber: &Fiber, next: *const FinishHeader) {
    let (finish, count) = fiber.ended.get();
    if count > 0 && finish != next {
        fiber.ended.set((std::ptr::null(), 0));
        // SAFETY: the finish is alive, since it waits for these activities.
        unsafe { &*Finish::from_header(finish) }.leave_all(count);
    }
}

/// Ends the body of a finish that the calling activity has opened, waits for its activities, and returns the
/// raised exceptions. `exception` is the exception of the body, or null. `fiber` is the fiber of the caller,
/// if it has one.
pub fn close_finish(finish: Arc<Finish>, fiber: Option<&Fiber>, exception: Ref) -> Vec<Handle> {
    if let Some(fiber) = fiber {
        run_own_activities(&finish, fiber);
    }
    finish.wait(fiber, exception)
}

/// Runs the newest activities of this worker on the caller's stack, while they belong to the finish. The
/// caller waits for them anyway, and this saves two switches of stacks.
pub fn run_own_activities(finish: &Finish, fiber: &Fiber) {
    if sanitizer::watches_threads() {
        // ThreadSanitizer could not detect races between activities that run on one stack.
        return;
    }
    // After each activity, the caller may run on another thread.
    while let Some(closure) = pool::pop_own_of(fiber.worker.get(), &raw const finish.header) {
        // The caller, which waits, is of the same job.
        if cancellation::is_cancelled() {
            finish.leave_own(Ref::NULL);
            continue;
        }
        run_closure(fiber, closure, ActivityScope::Own(finish));
    }
}

/// Identity of an activity: the address of its record, and the depth of nested activities in the record.
pub type Identity = (usize, u32);

/// An activity. The first fields are at the offsets that generated code expects
/// ([`crate::scheduler::abi_layout`]).
#[repr(C)]
pub struct Activity {
    /// The innermost finish that the activity has opened, from an [`Arc`], or null. Each finish refers to the
    /// enclosing one.
    pub(crate) open: *const Finish,
    /// Clocks it is registered on.
    pub clocks: Clocks,
    /// Depth of atomic sections.
    pub atomic: u32,
    /// Number of nested activities, of finishes that this activity closes, that run on its stack and have no
    /// record of their own.
    pub(crate) nested: u32,
    /// The finish that the activity belongs to.
    pub scope: ActivityScope,
    /// The work; taken when the activity begins.
    pub work: Option<Work>,
    /// The clock of the clocked finish that it was started under.
    pub implicit_clock: Option<i64>,
    /// Number of bytes on the stacks of activities of other places that wait for this one.
    pub nesting: usize,
    /// Whether the activity must not be deferred (admission control).
    pub is_urgent: bool,
    /// The job, unless the activity consists of a closure only.
    pub job: Membership,
    /// The place that it belongs to; known if it has not begun.
    pub place: Option<&'static PlaceHeader>,
}

const _: () = {
    use std::mem::offset_of;

    assert!(offset_of!(Activity, open) == 0 && offset_of!(Activity, clocks) == 8);
    assert!(offset_of!(Activity, atomic) == 16 && offset_of!(Activity, nested) == 20);
};

impl Activity {
    /// Makes an activity that has not begun.
    pub fn new(scope: Arc<dyn FinishScope>, work: Work) -> Activity {
        let place = Some(place::current());
        Activity { work: Some(work), place, ..Activity::plain(ActivityScope::Other(scope)) }
    }

    /// Converts the activity to a task of the scheduler.
    fn into_task(self: Box<Self>) -> Task {
        let is_urgent = self.is_urgent;
        Task::Activity(ActivityTask { activity: Box::into_raw(self).cast(), is_urgent })
    }

    /// The reverse of [`Activity::into_task`].
    ///
    /// # Safety
    /// The task was made by that function, and is used once.
    pub unsafe fn from_task(task: ActivityTask) -> Box<Activity> {
        // SAFETY: `into_task` made it from a box.
        unsafe { Box::from_raw(task.activity.cast()) }
    }

    fn plain(scope: ActivityScope) -> Activity {
        Activity {
            scope,
            work: None,
            clocks: Clocks::default(),
            implicit_clock: None,
            nesting: 0,
            is_urgent: false,
            job: Membership::NONE,
            place: None,
            open: std::ptr::null(),
            atomic: 0,
            nested: 0,
        }
    }

    /// Runs the activity to its end on this fiber. If another activity runs there, it is nested in that one,
    /// which waits for it.
    #[inline]
    pub fn run(self: Box<Self>) {
        heap::forget_ended_calls();
        self.run_on_cleared_stack();
        if heap::is_memory_short() {
            // The frames of a worker that waits cover some of what the activity has left.
            heap::forget_ended_calls();
        }
    }

    /// Not inlined: its frame, too, is in the part of the stack that is cleared. Otherwise a word that the
    /// activity before left in it, say the value of its `at`, would keep objects alive.
    #[inline(never)]
    #[expect(clippy::boxed_local, reason = "where it lies tells sanitizers activities apart")]
    fn run_on_cleared_stack(mut self: Box<Self>) {
        sanitizer::acquire(&raw const *self);
        let at = profile::on().then(|| self.code());
        let Some(fiber) = fiber::current() else { unreachable!("activities run on fibers") };
        fiber.budget.begin_inside(self.nesting, self.job.epoch());
        // As far below this frame, too, as calls mostly reach.
        heap::forget_ended_calls();
        match self.work.take() {
            // The body of an `at`: it sends the reply to the waiting activity itself.
            Some(_) if cancellation::is_past(self.job.epoch()) && !self.is_remote_at() => {
                self.run_code(fiber, None, || cancellation::exception().0);
            }
            Some(Work::Closure(closure)) => self.run_code(fiber, at, || crate::program::call(closure.get())),
            Some(Work::Runtime(work)) => self.run_code(fiber, at, work),
            None => self.run_code(fiber, at, || Ref::NULL),
        }
    }

    /// Whether the activity is the body of an `at`.
    fn is_remote_at(&self) -> bool {
        matches!(&self.scope, ActivityScope::Other(scope) if scope.is_remote_at())
    }

    /// Runs the code, and records a profile span if the code's location is known.
    fn run_code(&mut self, fiber: &Fiber, at: Option<profile::Code>, code: impl FnOnce() -> Ref) {
        let outer = fiber.header.activity.replace(std::ptr::from_mut(self).cast());
        let mut recorded = at.map(profile::Open::new);
        if let Some(recorded) = &mut recorded {
            recorded.begin(&fiber.opened);
        }
        let exception = code();
        // The same fiber, though perhaps in another thread.
        if let Some(recorded) = recorded {
            recorded.end(&fiber.opened, fiber.worker_number());
        }
        if !self.clocks.is_empty() {
            crate::apgas::clock::drop_all(&mut self.clocks.take());
        }
        sanitizer::release(&raw const sanitizer::MESSAGES);
        if let ActivityScope::Other(scope) = &self.scope {
            // Printing an exception runs code of the program, which belongs to the activity.
            scope.leave(exception);
            fiber.header.activity.set(outer);
        } else {
            fiber.header.activity.set(outer);
            self.scope.leave(fiber, exception);
        }
    }

    /// Opens a finish, which may have a clock.
    #[inline]
    pub fn open(&mut self, finish: Arc<Finish>, clock: Option<i64>) {
        finish.set_opened(self.open, clock);
        self.open = Arc::into_raw(finish);
    }

    /// Removes and returns the innermost finish, which ends.
    #[inline]
    pub fn close(&mut self) -> Option<Arc<Finish>> {
        if self.open.is_null() {
            return None;
        }
        // SAFETY: made by `open`, and taken once.
        let finish = unsafe { Arc::from_raw(self.open) };
        self.open = finish.outer();
        Some(finish)
    }

    /// The innermost finish that the activity has opened.
    pub fn innermost_open(&self) -> Option<Arc<Finish>> {
        // SAFETY: if not null alive until it is closed, and out of an `Arc`.
        (!self.open.is_null()).then(|| unsafe { share(self.open) })
    }

    /// The identity, which is unique among live activities.
    pub fn identity(&self) -> Identity {
        (std::ptr::from_ref(self) as usize, self.nested)
    }

    /// Adds the exception of an activity of the innermost finish that ran on this activity's stack.
    pub fn note(&self, exception: Ref) {
        // SAFETY: null, or alive until it is closed.
        if let Some(open) = unsafe { self.open.as_ref() } {
            open.note(exception);
        }
    }

    /// Counts a new activity of the innermost finish, if this finish is of this place.
    #[inline]
    pub fn enter_finish(&self, fiber: &Fiber) -> Option<*const Finish> {
        // SAFETY: null, or alive until it is closed.
        if let Some(open) = unsafe { self.open.as_ref() } {
            open.enter_own();
            return Some(open);
        }
        match self.scope {
            // SAFETY: it counts this activity.
            ActivityScope::Own(finish) => unsafe { (*finish).enter_own() },
            // SAFETY: as above.
            ActivityScope::Finish(finish) if !take_end(fiber, finish) => unsafe { (*finish).enter() },
            ActivityScope::Finish(_) => {}
            ActivityScope::Other(_) => return None,
        }
        match self.scope {
            ActivityScope::Own(finish) | ActivityScope::Finish(finish) => Some(finish),
            ActivityScope::Other(_) => None,
        }
    }

    /// Location of the activity's code.
    fn code(&self) -> profile::Code {
        match &self.work {
            Some(Work::Closure(closure)) => profile::Code::of_closure(closure.get()),
            _ => profile::Code::Unknown,
        }
    }

    /// The clock of the innermost clocked finish.
    pub fn innermost_clock(&self) -> Option<i64> {
        // SAFETY: null, or alive until it is closed.
        let finish = |finish: *const Finish| unsafe { finish.as_ref() };
        std::iter::successors(finish(self.open), |inner| finish(inner.outer()))
            .find_map(Finish::clock)
            .or(self.implicit_clock)
    }

    /// The number of the finish of new activities, if other places know this finish.
    pub fn finish_number(&self) -> Option<FinishId> {
        match &self.scope {
            // SAFETY: null, or alive until it is closed.
            _ if !self.open.is_null() => unsafe { (*self.open).number() },
            // SAFETY: it counts this activity.
            ActivityScope::Finish(finish) | ActivityScope::Own(finish) => unsafe { (**finish).number() },
            ActivityScope::Other(scope) => Some(scope.global_id(scope)),
        }
    }

    /// The finish of new activities.
    pub fn innermost_scope(&self) -> Arc<dyn FinishScope> {
        match self.innermost_open() {
            Some(open) => open as Arc<dyn FinishScope>,
            None => self.scope.shared(),
        }
    }
}

/// Calls `use_it` with the calling activity; `None` outside of activities. It must not block in there.
pub fn activity<R>(use_it: impl FnOnce(&mut Activity) -> R) -> Option<R> {
    let pointer = fiber::current().map(|fiber| fiber.header.activity.get().cast::<Activity>())?;
    // SAFETY: null, or the activity that this fiber runs, which nobody else touches meanwhile.
    unsafe { pointer.as_mut() }.map(use_it)
}

/// Runs an activity that its finish counts already.
#[inline]
pub fn run_closure(fiber: &Fiber, closure: Ref, scope: ActivityScope) {
    let at = profile::on().then(|| profile::Code::of_closure(closure));
    Activity::plain(scope).run_code(fiber, at, || crate::program::call(closure));
}

/// Ends an activity that its finish counts already, without running it, since its job was cancelled. The
/// activity that waits at the finish raises the exception.
pub(crate) fn drop_closure(fiber: &Fiber, finish: *const Finish) {
    // SAFETY: it counts the activity.
    unsafe { &*finish }.is_known();
    ActivityScope::Finish(finish).leave(fiber, Ref::NULL);
}

/// Starts an activity that consists of a closure only, as the newest task; false if it needs a record.
#[inline]
pub fn spawn_closure(fiber: &Fiber, activity: &Activity, closure: Ref) -> bool {
    // ThreadSanitizer identifies activities by the addresses of their records.
    if sanitizer::watches_threads() {
        return false;
    }
    let Some(finish) = activity.enter_finish(fiber) else { return false };
    pool::push_closure(fiber.worker.get(), closure, finish.cast());
    true
}

/// Calls `use_it` with the calling activity and its fiber, which does not change when the thread changes.
#[inline]
pub fn on_fiber<R>(use_it: impl FnOnce(&'static Fiber, &mut Activity) -> R) -> Option<R> {
    let fiber = fiber::current()?;
    // SAFETY: null, or the activity that this fiber runs, which nobody else touches meanwhile.
    unsafe { fiber.header.activity.get().cast::<Activity>().as_mut() }.map(|activity| use_it(fiber, activity))
}

/// Orders all previous operations of the caller before the activity (happens-before, for the sanitizer).
fn ready(activity: Activity) -> Box<Activity> {
    let activity = Box::new(activity);
    sanitizer::release(&raw const *activity);
    activity
}

/// Starts an activity, as the newest task.
pub fn spawn(activity: Activity) {
    match &activity.scope {
        // SAFETY: it counts the activity that starts this one.
        ActivityScope::Finish(finish) | ActivityScope::Own(finish) => unsafe { &**finish }.enter(),
        ActivityScope::Other(scope) => scope.enter(),
    }
    pool::push(ready(activity).into_task());
}

/// Starts an activity that its scope counts already, behind the tasks that are ready.
pub fn start_at(scope: Arc<dyn FinishScope>, work: Box<dyn FnOnce() -> Ref + Send>) {
    start_activity_at(Activity { is_urgent: true, ..Activity::new(scope, Work::Runtime(work)) });
}

/// As [`start_at`], for an activity with further properties.
pub fn start_activity_at(activity: Activity) {
    pool::push_last(ready(activity).into_task());
    pool::wake_compensating();
}

/// Attributes the profile span of the caller's innermost activity to that closure, if activities are profiled
/// and its code is not known yet.
pub fn name_profile(closure: Ref) {
    if profile::on()
        && let Some(fiber) = fiber::current()
    {
        fiber.opened.name(|| profile::Code::of_closure(closure));
    }
}

/// Attributes the profile span of the caller's innermost activity to the program's `main`.
pub fn name_profile_main() {
    if profile::on()
        && let Some(fiber) = fiber::current()
    {
        fiber.opened.name(|| profile::Code::Main);
    }
}
