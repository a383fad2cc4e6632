//! An activity, and which one the caller is.

use std::sync::Arc;

use super::clock::Registration;
use super::finish::Finish;
use super::queues::Task;
use super::{fiber, pool};
use crate::distributed::Governor;
use crate::memory::{Handle, Ref};
use crate::profile;
use crate::sanitizer;

/// What an activity runs.
pub enum Work {
    /// A closure of the program.
    Closure(Handle),
    /// Something of the runtime; it returns an exception or null.
    Runtime(Box<dyn FnOnce() -> Ref + Send>),
}

/// A finish that an activity has opened.
pub struct OpenFinish {
    /// The finish.
    pub finish: Arc<Finish>,
    /// The clock of a clocked one.
    pub clock: Option<i64>,
}

/// Whom an activity reports to.
pub enum Governing {
    /// A finish of this place, which counts the activity and so outlives it; it came out of an [`Arc`].
    Finish(*const Finish),
    /// Another one.
    Other(Arc<dyn Governor>),
}

impl Governing {
    fn shared(&self) -> Arc<dyn Governor> {
        match self {
            // SAFETY: alive, and from an `Arc`.
            Governing::Finish(finish) => unsafe {
                Arc::increment_strong_count(*finish);
                Arc::from_raw(*finish)
            },
            Governing::Other(governor) => Arc::clone(governor),
        }
    }

    fn leave(&self, exception: Ref) {
        match self {
            // SAFETY: alive until then.
            Governing::Finish(finish) => unsafe { &**finish }.leave(exception),
            Governing::Other(governor) => governor.leave(exception),
        }
    }
}

/// An activity.
pub struct Activity {
    /// Whom it reports to.
    pub governing: Governing,
    /// What it runs; taken when it begins.
    pub work: Option<Work>,
    /// Clocks it is registered on.
    pub clocks: Vec<Registration>,
    /// The clock of the clocked finish that it was started under.
    pub implicit_clock: Option<i64>,
    /// The innermost finish that it has opened.
    pub open: Option<OpenFinish>,
    /// The other finishes that it has opened, innermost last.
    pub outer: Vec<OpenFinish>,
    /// Depth of atomic sections.
    pub atomic: u32,
}

impl Activity {
    /// One that has not begun.
    pub fn new(governor: Arc<dyn Governor>, work: Work) -> Activity {
        Activity { work: Some(work), ..Activity::plain(Governing::Other(governor)) }
    }

    fn plain(governing: Governing) -> Activity {
        Activity {
            governing,
            work: None,
            clocks: Vec::new(),
            implicit_clock: None,
            open: None,
            outer: Vec::new(),
            atomic: 0,
        }
    }

    /// Runs it to its end on this fiber, inside the activity that runs there (which waits for it) if there is one.
    #[expect(clippy::boxed_local, reason = "where it lies tells sanitizers activities apart")]
    pub fn run(mut self: Box<Self>) {
        sanitizer::acquire(&raw const *self);
        let at = profile::on().then(|| self.code());
        match self.work.take() {
            Some(Work::Closure(closure)) => self.run_code(at, || crate::program::call(closure.get())),
            Some(Work::Runtime(work)) => self.run_code(at, work),
            None => self.run_code(at, || Ref::NULL),
        }
    }

    /// Runs its code, which is recorded if its place is known.
    fn run_code(&mut self, at: Option<profile::Code>, code: impl FnOnce() -> Ref) {
        let Some(fiber) = fiber::current() else { unreachable!("activities run on fibers") };
        let outer = fiber.activity.replace(self);
        let mut recorded = at.map(profile::Open::new);
        if let Some(recorded) = &mut recorded {
            recorded.begin(&fiber.opened);
        }
        let exception = code();
        // The same fiber, though perhaps in another thread.
        if let Some(recorded) = recorded {
            recorded.end(&fiber.opened);
        }
        fiber.activity.set(outer);
        if !self.clocks.is_empty() {
            super::clock::drop_all(&mut self.clocks);
        }
        sanitizer::release(&raw const sanitizer::MESSAGES);
        self.governing.leave(exception);
    }

    /// Opens a finish.
    pub fn open(&mut self, open: OpenFinish) {
        self.outer.extend(self.open.replace(open));
    }

    /// Takes the innermost finish, which ends.
    pub fn close(&mut self) -> Option<OpenFinish> {
        std::mem::replace(&mut self.open, self.outer.pop())
    }

    /// The finish that counts new activities, if that is one of this place.
    pub fn innermost_finish(&self) -> Option<*const Finish> {
        match (&self.open, &self.governing) {
            (Some(open), _) => Some(Arc::as_ptr(&open.finish)),
            (None, Governing::Finish(finish)) => Some(*finish),
            _ => None,
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
        self.open.iter().chain(self.outer.iter().rev()).find_map(|open| open.clock).or(self.implicit_clock)
    }

    /// What governs new activities.
    pub fn innermost_governor(&self) -> Arc<dyn Governor> {
        match &self.open {
            Some(open) => Arc::clone(&open.finish) as Arc<dyn Governor>,
            None => self.governing.shared(),
        }
    }
}

/// Calls `use_it` with the calling activity; `None` outside of activities. It must not block in there.
pub fn activity<R>(use_it: impl FnOnce(&mut Activity) -> R) -> Option<R> {
    let pointer = fiber::current().map(|fiber| fiber.activity.get())?;
    // SAFETY: null, or the activity that this fiber runs, which nobody else touches meanwhile.
    unsafe { pointer.as_mut() }.map(use_it)
}

/// Runs an activity of a finish, which has been entered for it.
pub fn run_closure(closure: Ref, finish: *const Finish) {
    let at = profile::on().then(|| profile::Code::of_closure(closure));
    Activity::plain(Governing::Finish(finish)).run_code(at, || crate::program::call(closure));
}

/// Starts an activity that is no more than its closure, newest first; false if there is more to it.
pub fn spawn_closure(activity: &Activity, closure: Ref) -> bool {
    // A sanitizer of threads tells activities apart by where they lie.
    if sanitizer::watches_threads() {
        return false;
    }
    let Some(finish) = activity.innermost_finish() else { return false };
    // SAFETY: open, or it counts the activity.
    unsafe { &*finish }.enter();
    pool::push(Task::Closure(closure, finish));
    true
}

/// What the caller has done so far is done before the activity begins.
fn ready(activity: Activity) -> Box<Activity> {
    let activity = Box::new(activity);
    sanitizer::release(&raw const *activity);
    activity
}

/// Starts an activity, newest first.
pub fn spawn(activity: Activity) {
    match &activity.governing {
        // SAFETY: it counts the activity that starts this one.
        Governing::Finish(finish) => unsafe { &**finish }.enter(),
        Governing::Other(governor) => governor.enter(),
    }
    pool::push(Task::Activity(ready(activity)));
}

/// Starts an activity whose governor has been entered for it already, after those that can run now.
pub fn start_at(governor: Arc<dyn Governor>, work: Box<dyn FnOnce() -> Ref + Send>) {
    start_activity_at(Activity::new(governor, Work::Runtime(work)));
}

/// The same for an activity with more to it.
pub fn start_activity_at(activity: Activity) {
    pool::push_last(Task::Activity(ready(activity)));
}
