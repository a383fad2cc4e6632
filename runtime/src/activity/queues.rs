//! Work that can run: each thread's own queue, and one for work from elsewhere.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_deque::{Injector, Steal};

use super::current::Activity;
use super::deque::{Deque, Pair, Stolen};
use super::fiber::Fiber;
use super::finish::Finish;
use super::parallel::Job;
use super::sleepers::Sleepers;
use super::throttle;
use crate::memory::Ref;

/// Something to run.
pub enum Task {
    /// A closure that is an activity of a finish, which has been entered for it.
    Closure(Ref, *const Finish),
    /// Another activity that has not begun.
    Activity(Box<Activity>),
    /// A fiber whose activity may go on.
    Resume(&'static Fiber),
    /// A parallel loop that wants help.
    Help(Arc<Job>),
}

// SAFETY: the finish is alive until it has been left.
unsafe impl Send for Task {}

/// The second word of a pair, where it is no finish.
const ACTIVITY: usize = 1;
const RESUME: usize = 2;
const HELP: usize = 3;

impl Task {
    /// The finish that waits for an activity that is no more than its closure.
    pub fn finish(&self) -> *const Finish {
        match self {
            Task::Closure(_, finish) => *finish,
            _ => std::ptr::null(),
        }
    }

    /// It is an activity that has not begun, and nobody of another place waits for it.
    fn can_be_put_off(&self) -> bool {
        match self {
            Task::Closure(..) => true,
            Task::Activity(activity) => !activity.is_urgent,
            Task::Resume(_) | Task::Help(_) => false,
        }
    }

    fn into_pair(self) -> Pair {
        match self {
            Task::Closure(closure, finish) => [closure.address(), finish as usize],
            Task::Activity(activity) => [Box::into_raw(activity) as usize, ACTIVITY],
            Task::Resume(fiber) => [std::ptr::from_ref(fiber) as usize, RESUME],
            Task::Help(job) => [Arc::into_raw(job) as usize, HELP],
        }
    }

    /// # Safety
    /// The pair was made by [`Task::into_pair`], and is taken once.
    unsafe fn from_pair([first, second]: Pair) -> Task {
        // SAFETY: by the caller.
        unsafe {
            match second {
                ACTIVITY => Task::Activity(Box::from_raw(first as *mut Activity)),
                RESUME => Task::Resume(&*(first as *const Fiber)),
                HELP => Task::Help(Arc::from_raw(first as *const Job)),
                finish => Task::Closure(Ref(first as *mut _), finish as *const Finish),
            }
        }
    }
}

/// All queues.
pub struct Queues {
    injector: Injector<Task>,
    own: Vec<Deque>,
    /// Of each thread, activities that it has put off.
    later: Vec<Deque>,
    sleepers: Sleepers,
}

/// What a thread that looks for work remembers from one look to the next.
#[derive(Default)]
pub struct Look {
    /// A task that was alone in another's queue.
    alone: Option<(usize, Pair)>,
    /// Where it begins.
    turn: usize,
}

impl Queues {
    /// For so many threads.
    pub fn new(threads: usize) -> Queues {
        Queues {
            injector: Injector::new(),
            own: (0..threads).map(|_| Deque::new()).collect(),
            later: (0..threads).map(|_| Deque::new()).collect(),
            sleepers: Sleepers::new(threads),
        }
    }

    /// Work from a thread that has no queue, or that must not be overtaken for ever.
    pub fn inject(&self, task: Task) {
        self.injector.push(task);
        self.sleepers.notify();
    }

    /// Work of a thread of the pool.
    pub fn push(&self, number: usize, task: Task) {
        self.own[number].push(task.into_pair());
        self.notify_if_needed();
    }

    /// An activity that is no more than its closure.
    #[inline]
    pub fn push_closure(&self, number: usize, closure: Ref, finish: *const Finish) {
        self.own[number].push([closure.address(), finish as usize]);
        self.notify_if_needed();
    }

    /// Without a fence before it a thread that is just falling asleep may be overlooked; it looks again when its wait has ended, after some
    /// milliseconds, and whoever has added work comes back to its queue in any case.
    #[inline]
    fn notify_if_needed(&self) {
        if self.sleepers.are_needed() {
            self.sleepers.notify();
        }
    }

    /// A thread's own queue, and who sleeps, for generated code.
    pub fn shared(&self, number: usize) -> (*const Deque, *const Sleepers) {
        (&raw const self.own[number], &raw const self.sleepers)
    }

    /// Wakes a waiting thread, if there is one and no other looks around.
    pub fn notify(&self) {
        self.sleepers.notify();
    }

    /// This thread's newest task.
    pub fn pop(&self, number: usize) -> Option<Task> {
        loop {
            // SAFETY: taken from the queue.
            let task = unsafe { Task::from_pair(self.own[number].pop()?) };
            if let Some(task) = self.begin_or_put_off(number, task) {
                return Some(task);
            }
        }
    }

    /// The task, unless it is an activity that is put off.
    #[inline]
    fn begin_or_put_off(&self, number: usize, task: Task) -> Option<Task> {
        if throttle::is_on() && task.can_be_put_off() {
            self.later[number].push(task.into_pair());
            return None;
        }
        Some(task)
    }

    /// An activity that was put off and may be begun now.
    fn find_put_off(&self, number: usize) -> Option<Task> {
        let own = &self.later[number];
        if self.later.iter().all(Deque::is_empty) || !throttle::may_begin() {
            return None;
        }
        let take = |other: &Deque| match other.steal(own, None) {
            // It is of no use to its owner.
            Stolen::Alone(pair) => other.steal(own, Some(pair)),
            stolen => stolen,
        };
        let stolen = || {
            self.later.iter().map(take).find_map(|stolen| match stolen {
                Stolen::Pair(pair) => Some(pair),
                _ => None,
            })
        };
        // SAFETY: taken from a queue.
        own.pop().or_else(stolen).map(|pair| unsafe { Task::from_pair(pair) })
    }

    /// The closure of this thread's newest task, if that is an activity of the finish and no more than its closure.
    #[inline]
    pub fn pop_of(&self, number: usize, finish: *const Finish) -> Option<Ref> {
        let own = &self.own[number];
        if own.newest()?[1] != finish as usize {
            return None;
        }
        let pair = own.pop()?;
        if pair[1] == finish as usize {
            return Some(Ref(pair[0] as *mut _));
        }
        // A thief took that one, and this is older.
        own.push(pair);
        None
    }

    /// How many tasks are in this thread's queue.
    pub fn own_length(&self, number: usize) -> usize {
        self.own[number].len()
    }

    /// Whether this thread's queue is empty.
    pub fn own_is_empty(&self, number: usize) -> bool {
        self.own[number].is_empty()
    }

    /// The caller, a thread of the pool, begins to look for work.
    pub fn begin_to_look(&self) {
        self.sleepers.begin();
    }

    /// The caller, who has looked for work, has found some: if there is more, and nobody else looks, another thread is woken.
    pub fn has_found(&self) {
        if self.sleepers.found() && !self.is_empty() {
            self.sleepers.notify();
        }
    }

    /// Work: this thread's newest, then what came from elsewhere, then others' oldest. One that is alone in a queue is taken at the second
    /// look, for its owner may want it at once. At last what was put off.
    pub fn find(&self, number: usize, look: &mut Look) -> Option<Task> {
        if let Some(task) = self.pop(number) {
            return Some(task);
        }
        let before = look.alone.take();
        look.turn = look.turn.wrapping_add(1);
        loop {
            let mut again = false;
            match self.injector.steal() {
                Steal::Success(task) => match self.begin_or_put_off(number, task) {
                    None => again = true,
                    task => return task,
                },
                Steal::Retry => again = true,
                Steal::Empty => {}
            }
            let count = self.own.len();
            for distance in 0..count {
                let other = (number + look.turn + distance) % count;
                if other == number {
                    continue;
                }
                let known = before.filter(|(queue, _)| *queue == other).map(|(_, pair)| pair);
                match self.own[other].steal(&self.own[number], known) {
                    Stolen::Pair(pair) => {
                        // SAFETY: taken from the queue.
                        match self.begin_or_put_off(number, unsafe { Task::from_pair(pair) }) {
                            None => again = true,
                            task => return task,
                        }
                    }
                    Stolen::Alone(pair) => look.alone = Some((other, pair)),
                    Stolen::Retry => again = true,
                    Stolen::Empty => {}
                }
            }
            if !again {
                return self.find_put_off(number);
            }
        }
    }

    /// No work came from elsewhere.
    pub fn nothing_injected(&self) -> bool {
        self.injector.is_empty()
    }

    /// Whether there is no work.
    pub fn is_empty(&self) -> bool {
        self.nothing_ready() && self.later.iter().all(Deque::is_empty)
    }

    /// Whether there is no work but what was put off.
    pub fn nothing_ready(&self) -> bool {
        self.injector.is_empty() && self.own.iter().all(Deque::is_empty)
    }

    /// The caller, thread `number`, who looks for work, waits until it is woken, or that long: at most `quiet` if there is none, `busy` if
    /// there is some that it did not get. `all_idle` is called when every thread waits.
    pub fn wait(&self, number: usize, quiet: Duration, busy: Duration, all_idle: impl FnOnce()) {
        let time = || if self.is_empty() { quiet } else { busy };
        self.sleepers.wait(number, time, all_idle);
    }

    /// The caller, thread `number`, who looks for work and has an activity, sleeps for so long at most; not at all if there is some.
    pub fn nap(&self, number: usize, time: Duration) {
        self.sleepers.nap(number, || if self.is_empty() { time } else { Duration::ZERO });
    }

    /// Work from outside the pool, or of this thread.
    pub fn find_injected(&self, number: usize) -> Option<Task> {
        loop {
            match self.injector.steal() {
                Steal::Success(task) => {
                    if let Some(task) = self.begin_or_put_off(number, task) {
                        return Some(task);
                    }
                }
                Steal::Retry => {}
                Steal::Empty => return self.pop(number),
            }
        }
    }

    /// Whether every thread waits, nothing is queued, and `and` is true, all that at the same moment.
    pub fn idle(&self, and: impl FnOnce() -> bool) -> bool {
        self.sleepers.all_sleep(|| and() && self.is_empty())
    }

    /// Shows the collector what is in the threads' queues; all threads are stopped.
    pub fn each_word(&self, visit: &mut dyn FnMut(usize)) {
        self.own.iter().chain(&self.later).for_each(|deque| deque.each_word(visit));
    }
}
