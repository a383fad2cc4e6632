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

/// An activity.
pub struct Activity {
    /// Whom it reports to.
    pub governor: Arc<dyn Governor>,
    /// What it runs; taken when it begins.
    pub work: Option<Work>,
    /// Clocks it is registered on.
    pub clocks: Vec<Registration>,
    /// The clock of the clocked finish that it was started under.
    pub implicit_clock: Option<i64>,
    /// Finishes that it has opened, innermost last.
    pub finishes: Vec<OpenFinish>,
    /// Depth of atomic sections.
    pub atomic: u32,
}

impl Activity {
    /// One that has not begun.
    pub fn new(governor: Arc<dyn Governor>, work: Work) -> Activity {
        Activity {
            governor,
            work: Some(work),
            clocks: Vec::new(),
            implicit_clock: None,
            finishes: Vec::new(),
            atomic: 0,
        }
    }

    /// Runs it to its end on this fiber, inside the activity that runs there (which waits for it) if there is one.
    #[expect(clippy::boxed_local, reason = "where it lies tells sanitizers activities apart")]
    pub fn run(mut self: Box<Self>) {
        sanitizer::acquire(&raw const *self);
        let Some(fiber) = fiber::current() else { unreachable!("activities run on fibers") };
        let outer = fiber.activity.replace(&raw mut *self);
        let mut recorded = profile::on().then(|| profile::Open::new(self.code()));
        if let Some(recorded) = &mut recorded {
            recorded.begin(&fiber.opened);
        }
        let exception = match self.work.take() {
            Some(Work::Closure(closure)) => crate::program::call(closure.get()),
            Some(Work::Runtime(work)) => work(),
            None => Ref::NULL,
        };
        // The same fiber, though perhaps in another thread.
        if let Some(recorded) = recorded {
            recorded.end(&fiber.opened);
        }
        fiber.activity.set(outer);
        super::clock::drop_all(&mut self.clocks);
        sanitizer::release(&raw const sanitizer::MESSAGES);
        self.governor.leave(exception);
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
        self.finishes.iter().rev().find_map(|open| open.clock).or(self.implicit_clock)
    }

    /// What governs new activities.
    pub fn innermost_governor(&self) -> Arc<dyn Governor> {
        match self.finishes.last() {
            Some(open) => Arc::clone(&open.finish) as Arc<dyn Governor>,
            None => Arc::clone(&self.governor),
        }
    }
}

/// Calls `use_it` with the calling activity; `None` outside of activities. It must not block in there.
pub fn activity<R>(use_it: impl FnOnce(&mut Activity) -> R) -> Option<R> {
    let pointer = fiber::current().map(|fiber| fiber.activity.get())?;
    // SAFETY: null, or the activity that this fiber runs, which nobody else touches meanwhile.
    unsafe { pointer.as_mut() }.map(use_it)
}

/// What the caller has done so far is done before the activity begins.
fn ready(activity: Activity) -> Box<Activity> {
    let activity = Box::new(activity);
    sanitizer::release(&raw const *activity);
    activity
}

/// Starts an activity, newest first.
pub fn spawn(activity: Activity) {
    activity.governor.enter();
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
