//! Activities: lightweight threads started by `async` (X10 language specification 2.6, "Activities"); which
//! one the caller is.

use std::sync::Arc;

use crate::apgas::cancellation::{self, Membership};
use crate::apgas::clock::Clocks;
use crate::apgas::engine::FinishScope;
use crate::apgas::finish::Finish;
use crate::apgas::finish::id::FinishId;
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
    /// Something of the runtime; it returns an exception or null.
    Runtime(Box<dyn FnOnce() -> Ref + Send>),
}

/// The finish that an activity belongs to.
pub enum ActivityScope {
    /// A finish of this place, which counts the activity and so outlives it; it came out of an [`Arc`].
    Finish(*const Finish),
    /// The same for an activity that runs on the stack of the finish's body.
    Own(*const Finish),
    /// Another one.
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

/// A finish that is known to one more.
///
/// # Safety
/// It is alive, and came out of an [`Arc`].
unsafe fn share(finish: *const Finish) -> Arc<Finish> {
    // SAFETY: by the caller.
    unsafe {
        (*finish).is_known();
        Arc::increment_strong_count(finish);
        Arc::from_raw(finish)
    }
}

/// Counts an activity of the finish that has run to its end on this fiber. The finish itself learns of them
/// later, all at once.
#[inline]
fn count_end(fiber: &Fiber, finish: *const Finish) {
    report_ends(fiber, finish.cast());
    fiber.ended.set((finish.cast(), fiber.ended.get().1 + 1));
}

/// One less of those that were counted, if they are of this finish: another one begins in its stead.
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
        // SAFETY: it is alive, since it waits for those.
        unsafe { &*Finish::from_header(finish) }.leave_all(count);
    }
}

/// Ends the body of a finish that the calling activity has opened, waits for its activities, and returns what
/// was raised; `exception` is what the body raised. `fiber` runs the caller, if one does.
pub fn close_finish(finish: Arc<Finish>, fiber: Option<&Fiber>, exception: Ref) -> Vec<Handle> {
    if let Some(fiber) = fiber {
        run_own_activities(&finish, fiber);
    }
    finish.wait(fiber, exception)
}

/// Runs the newest activities of this worker while they belong to the finish: the caller waits for them
/// anyway, so that it costs nothing to run them on its stack, and saves two switches.
pub fn run_own_activities(finish: &Finish, fiber: &Fiber) {
    if sanitizer::watches_threads() {
        // One after the other on this stack, they could not be seen to race.
        return;
    }
    // The thread may be another one after each.
    while let Some(closure) = pool::pop_own_of(fiber.worker.get(), &raw const finish.header) {
        // The caller, which waits, is of the same job.
        if cancellation::is_cancelled() {
            finish.leave_own(Ref::NULL);
            continue;
        }
        run_closure(fiber, closure, ActivityScope::Own(finish));
    }
}

/// What tells activities apart: the address of their record, and how deep in it.
pub type Identity = (usize, u32);

/// An activity. The first fields are where generated code expects them ([`crate::scheduler::abi_layout`]).
#[repr(C)]
pub struct Activity {
    /// The innermost finish that it has opened, out of an [`Arc`], or null. Each knows the one around it.
    pub(crate) open: *const Finish,
    /// Clocks it is registered on.
    pub clocks: Clocks,
    /// Depth of atomic sections.
    pub atomic: u32,
    /// How many activities of finishes that it closes run on its stack, one inside the other, with no more to
    /// them than this.
    pub(crate) nested: u32,
    /// The finish that it belongs to.
    pub scope: ActivityScope,
    /// What it runs; taken when it begins.
    pub work: Option<Work>,
    /// The clock of the clocked finish that it was started under.
    pub implicit_clock: Option<i64>,
    /// Bytes on the stacks of activities of other places that wait for it.
    pub nesting: usize,
    /// It is not deferred ([`crate::scheduler::admission`]).
    pub is_urgent: bool,
    /// Its job, unless it is no more than a closure.
    pub job: Membership,
}

const _: () = {
    use std::mem::offset_of;

    assert!(offset_of!(Activity, open) == 0 && offset_of!(Activity, clocks) == 8);
    assert!(offset_of!(Activity, atomic) == 16 && offset_of!(Activity, nested) == 20);
};

impl Activity {
    /// An activity that has not begun.
    pub fn new(scope: Arc<dyn FinishScope>, work: Work) -> Activity {
        Activity { work: Some(work), ..Activity::plain(ActivityScope::Other(scope)) }
    }

    /// A task of the scheduler.
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
            open: std::ptr::null(),
            atomic: 0,
            nested: 0,
        }
    }

    /// Runs it to its end on this fiber, inside the activity that runs there (which waits for it) if there is
    /// one.
    #[expect(clippy::boxed_local, reason = "where it lies tells sanitizers activities apart")]
    pub fn run(mut self: Box<Self>) {
        sanitizer::acquire(&raw const *self);
        let at = profile::on().then(|| self.code());
        let Some(fiber) = fiber::current() else { unreachable!("activities run on fibers") };
        fiber.budget.begin_inside(self.nesting, self.job.epoch());
        heap::forget_ended_calls();
        match self.work.take() {
            // The body of an `at` runs: the activity that waits for it gets its answer from that.
            Some(_) if cancellation::is_past(self.job.epoch()) && !self.is_remote_at() => {
                self.run_code(fiber, None, || cancellation::exception().0);
            }
            Some(Work::Closure(closure)) => self.run_code(fiber, at, || crate::program::call(closure.get())),
            Some(Work::Runtime(work)) => self.run_code(fiber, at, work),
            None => self.run_code(fiber, at, || Ref::NULL),
        }
    }

    /// It is the body of an `at`.
    fn is_remote_at(&self) -> bool {
        matches!(&self.scope, ActivityScope::Other(scope) if scope.is_remote_at())
    }

    /// Runs its code, which is recorded if its place is known.
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
            // To print an exception runs code of the program, which belongs to the activity.
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

    /// Takes the innermost finish, which ends.
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

    /// The innermost finish that it has opened.
    pub fn innermost_open(&self) -> Option<Arc<Finish>> {
        // SAFETY: if not null alive until it is closed, and out of an `Arc`.
        (!self.open.is_null()).then(|| unsafe { share(self.open) })
    }

    /// What tells activities apart, while they live.
    pub fn identity(&self) -> Identity {
        (std::ptr::from_ref(self) as usize, self.nested)
    }

    /// An activity of the innermost finish, which ran on this one's stack, has raised something.
    pub fn note(&self, exception: Ref) {
        // SAFETY: null, or alive until it is closed.
        if let Some(open) = unsafe { self.open.as_ref() } {
            open.note(exception);
        }
    }

    /// Counts a new activity of the innermost finish, if that is one of this place.
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

    /// Where its code is.
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

    /// The number of what governs new activities, if other places know it.
    pub fn finish_number(&self) -> Option<FinishId> {
        match &self.scope {
            // SAFETY: null, or alive until it is closed.
            _ if !self.open.is_null() => unsafe { (*self.open).number() },
            // SAFETY: it counts this activity.
            ActivityScope::Finish(finish) | ActivityScope::Own(finish) => unsafe { (**finish).number() },
            ActivityScope::Other(scope) => Some(scope.global_id(scope)),
        }
    }

    /// What governs new activities.
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

/// Runs an activity of a finish, which has been entered for it.
#[inline]
pub fn run_closure(fiber: &Fiber, closure: Ref, scope: ActivityScope) {
    let at = profile::on().then(|| profile::Code::of_closure(closure));
    Activity::plain(scope).run_code(fiber, at, || crate::program::call(closure));
}

/// Ends an activity of a finish, which has been entered for it, instead of beginning it: its job was
/// cancelled, which the activity that waits at the finish raises.
pub(crate) fn drop_closure(fiber: &Fiber, finish: *const Finish) {
    // SAFETY: it counts the activity.
    unsafe { &*finish }.is_known();
    ActivityScope::Finish(finish).leave(fiber, Ref::NULL);
}

/// Starts an activity that is no more than its closure, newest first; false if there is more to it.
#[inline]
pub fn spawn_closure(fiber: &Fiber, activity: &Activity, closure: Ref) -> bool {
    // A sanitizer of threads tells activities apart by where they lie.
    if sanitizer::watches_threads() {
        return false;
    }
    let Some(finish) = activity.enter_finish(fiber) else { return false };
    pool::push_closure(fiber.worker.get(), closure, finish.cast());
    true
}

/// Calls `use_it` with the calling activity and its fiber, which stays the same whatever its thread is.
#[inline]
pub fn on_fiber<R>(use_it: impl FnOnce(&'static Fiber, &mut Activity) -> R) -> Option<R> {
    let fiber = fiber::current()?;
    // SAFETY: null, or the activity that this fiber runs, which nobody else touches meanwhile.
    unsafe { fiber.header.activity.get().cast::<Activity>().as_mut() }.map(|activity| use_it(fiber, activity))
}

/// What the caller has done happens before the activity begins.
fn ready(activity: Activity) -> Box<Activity> {
    let activity = Box::new(activity);
    sanitizer::release(&raw const *activity);
    activity
}

/// Starts an activity, newest first.
pub fn spawn(activity: Activity) {
    match &activity.scope {
        // SAFETY: it counts the activity that starts this one.
        ActivityScope::Finish(finish) | ActivityScope::Own(finish) => unsafe { &**finish }.enter(),
        ActivityScope::Other(scope) => scope.enter(),
    }
    pool::push(ready(activity).into_task());
}

/// Starts an activity whose scope has been entered for it already, after those that can run now.
pub fn start_at(scope: Arc<dyn FinishScope>, work: Box<dyn FnOnce() -> Ref + Send>) {
    start_activity_at(Activity { is_urgent: true, ..Activity::new(scope, Work::Runtime(work)) });
}

/// The same for an activity with more to it.
pub fn start_activity_at(activity: Activity) {
    pool::push_last(ready(activity).into_task());
    pool::wake_compensating();
}

/// Names the innermost activity of the caller after that closure, if activities are profiled and its code was
/// not known.
pub fn name_profile(closure: Ref) {
    if profile::on()
        && let Some(fiber) = fiber::current()
    {
        fiber.opened.name(|| profile::Code::of_closure(closure));
    }
}

/// The innermost activity of the caller is the program's `main`.
pub fn name_profile_main() {
    if profile::on()
        && let Some(fiber) = fiber::current()
    {
        fiber.opened.name(|| profile::Code::Main);
    }
}
