//! Work that can run: each thread's own queue, and one for work from elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::time::Duration;

use crossbeam_deque::{Injector, Steal, Stealer, Worker};
use parking_lot::{Condvar, Mutex};

use super::current::Activity;
use super::fiber::Fiber;
use super::parallel::Job;

/// Something to run.
pub enum Task {
    /// An activity that has not begun.
    Activity(Box<Activity>),
    /// A fiber whose activity may go on.
    Resume(&'static Fiber),
    /// A parallel loop that wants help.
    Help(Arc<Job>),
}

/// All queues.
pub struct Queues {
    injector: Injector<Task>,
    stealers: Vec<Stealer<Task>>,
    /// Threads that wait, or are about to.
    sleepers: AtomicUsize,
    sleep: Mutex<u64>,
    wake: Condvar,
}

impl Queues {
    /// Of these threads' queues.
    pub fn new(own: &[Worker<Task>]) -> Queues {
        Queues {
            injector: Injector::new(),
            stealers: own.iter().map(Worker::stealer).collect(),
            sleepers: AtomicUsize::new(0),
            sleep: Mutex::new(0),
            wake: Condvar::new(),
        }
    }

    /// Work from a thread that has no queue, or that must not be overtaken for ever.
    pub fn inject(&self, task: Task) {
        self.injector.push(task);
        self.notify();
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
    pub fn find(&self, own: &Worker<Task>, number: usize) -> Option<Task> {
        if let Some(task) = own.pop() {
            return Some(task);
        }
        loop {
            let mut again = false;
            match self.injector.steal_batch_and_pop(own) {
                Steal::Success(task) => return Some(task),
                Steal::Retry => again = true,
                Steal::Empty => {}
            }
            let count = self.stealers.len();
            for other in 1..count {
                match self.stealers[(number + other) % count].steal() {
                    Steal::Success(task) => return Some(task),
                    Steal::Retry => again = true,
                    Steal::Empty => {}
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

    fn is_empty(&self) -> bool {
        self.injector.is_empty() && self.stealers.iter().all(Stealer::is_empty)
    }

    /// Waits until there may be work. `all_idle` is called when every thread waits.
    pub fn wait(&self, all_idle: impl FnOnce()) {
        let mut changes = self.sleep.lock();
        let sleeping = self.sleepers.fetch_add(1, Ordering::SeqCst) + 1;
        fence(Ordering::SeqCst);
        if self.is_empty() {
            if sleeping == self.stealers.len() {
                parking_lot::MutexGuard::unlocked(&mut changes, all_idle);
            }
            let seen = *changes;
            // Whoever added work before the lock was taken back has seen a sleeper and counted up, or is seen here.
            if self.is_empty() && seen == *changes {
                // The time limit is a safety net only; nothing relies on it.
                self.wake.wait_for(&mut changes, Duration::from_millis(500));
            }
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether every thread waits and nothing is queued.
    pub fn idle(&self) -> bool {
        self.sleepers.load(Ordering::SeqCst) == self.stealers.len() && self.is_empty()
    }
}
