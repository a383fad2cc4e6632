//! Work that can run: each thread's own queue, and one for work from elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::time::Duration;

use crossbeam_deque::{Injector, Steal};
use parking_lot::{Condvar, Mutex};

use super::current::Activity;
use super::deque::{Deque, Pair, Stolen};
use super::fiber::Fiber;
use super::finish::Finish;
use super::parallel::Job;
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
    /// Threads that wait, or are about to.
    sleepers: AtomicUsize,
    sleep: Mutex<u64>,
    wake: Condvar,
}

impl Queues {
    /// For so many threads.
    pub fn new(threads: usize) -> Queues {
        Queues {
            injector: Injector::new(),
            own: (0..threads).map(|_| Deque::new()).collect(),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// Work from a thread that has no queue, or that must not be overtaken for ever. `quietly`: the caller looks for work itself.
    pub fn inject(&self, task: Task, quietly: bool) {
        self.injector.push(task);
        if !quietly {
            self.notify();
        }
    }

    /// Work of a thread of the pool. `quietly`: see [`Queues::inject`].
    pub fn push(&self, number: usize, task: Task, quietly: bool) {
        self.own[number].push(task.into_pair());
        // Without a fence a thread that is just falling asleep may be overlooked; it looks again very soon, and the pusher itself
        // comes back to its queue in any case.
        if !quietly && self.has_sleepers() {
            self.notify();
        }
    }

    /// An activity that is no more than its closure; nobody is told.
    #[inline]
    pub fn push_closure(&self, number: usize, closure: Ref, finish: *const Finish) {
        self.own[number].push([closure.address(), finish as usize]);
    }

    /// Whether a thread seems to wait.
    #[inline]
    pub fn has_sleepers(&self) -> bool {
        self.sleepers.load(Ordering::Relaxed) > 0
    }

    /// This thread's newest task.
    pub fn pop(&self, number: usize) -> Option<Task> {
        // SAFETY: taken from the queue.
        self.own[number].pop().map(|pair| unsafe { Task::from_pair(pair) })
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

    /// Whether this thread's queue is empty.
    pub fn own_is_empty(&self, number: usize) -> bool {
        self.own[number].is_empty()
    }

    /// Wakes a waiting thread, if there is one, after work was added.
    pub fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            *self.sleep.lock() += 1;
            self.wake.notify_one();
        }
    }

    /// Work: this thread's newest, then what came from elsewhere, then others' oldest.
    pub fn find(&self, number: usize) -> Option<Task> {
        if let Some(task) = self.pop(number) {
            return Some(task);
        }
        loop {
            let mut again = false;
            match self.injector.steal() {
                Steal::Success(task) => return Some(task),
                Steal::Retry => again = true,
                Steal::Empty => {}
            }
            let count = self.own.len();
            for other in 1..count {
                match self.own[(number + other) % count].steal() {
                    // SAFETY: taken from the queue.
                    Stolen::Pair(pair) => return Some(unsafe { Task::from_pair(pair) }),
                    Stolen::Retry => again = true,
                    Stolen::Empty => {}
                }
            }
            if !again {
                return None;
            }
        }
    }

    /// No work came from elsewhere.
    pub fn nothing_injected(&self) -> bool {
        self.injector.is_empty()
    }

    /// Whether there is no work.
    pub fn is_empty(&self) -> bool {
        self.injector.is_empty() && self.own.iter().all(Deque::is_empty)
    }

    /// Waits until there may be work, or that long. `all_idle` is called when every thread waits.
    pub fn wait(&self, at_most: Duration, all_idle: impl FnOnce()) {
        let mut changes = self.sleep.lock();
        let sleeping = self.sleepers.fetch_add(1, Ordering::SeqCst) + 1;
        fence(Ordering::SeqCst);
        if self.is_empty() {
            if sleeping == self.own.len() {
                parking_lot::MutexGuard::unlocked(&mut changes, all_idle);
            }
            let seen = *changes;
            // Whoever added work before the lock was taken back has seen a sleeper and counted up, or is seen here.
            if self.is_empty() && seen == *changes {
                self.wake.wait_for(&mut changes, at_most);
            }
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether every thread waits and nothing is queued.
    pub fn idle(&self) -> bool {
        self.sleepers.load(Ordering::SeqCst) == self.own.len() && self.is_empty()
    }

    /// Shows the collector what is in the threads' queues; all threads are stopped.
    pub fn each_word(&self, visit: &mut dyn FnMut(usize)) {
        self.own.iter().for_each(|deque| deque.each_word(visit));
    }
}
