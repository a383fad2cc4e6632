//! Threads of the CPUs that are threads of a team (thread pool): they stay for the next region.

use std::cell::Cell;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

/// The stack of a thread.
const STACK_BYTES: usize = 16 << 20;

thread_local! {
    /// The thread is one of a team that executes a region.
    static IS_IN_REGION: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread executes a region.
pub(super) fn is_in_region() -> bool {
    IS_IN_REGION.get()
}

/// Calls a function as a part of a region.
pub(super) fn in_region<T>(body: impl FnOnce() -> T) -> T {
    let was = IS_IN_REGION.replace(true);
    let result = body();
    IS_IN_REGION.set(was);
    result
}

/// What a thread does, and whom it tells.
struct Job {
    body: &'static (dyn Fn(i32) + Sync),
    number: i32,
    done: Sender<()>,
}

/// Threads that wait for regions.
#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Sender<Job>>>,
}

/// Members of a team beside the calling thread.
pub(super) struct Members<'p> {
    pool: &'p Pool,
    threads: Vec<Sender<Job>>,
}

impl Pool {
    /// Takes `count` threads; fewer if the system has no more.
    pub(super) fn take(&self, count: usize) -> Members<'_> {
        let mut idle = self.idle.lock();
        let kept = idle.len().saturating_sub(count);
        let mut threads = idle.split_off(kept);
        drop(idle);
        while threads.len() < count {
            let (sender, receiver) = channel();
            let name = format!("team {}", threads.len() + 1);
            let builder = std::thread::Builder::new().name(name).stack_size(STACK_BYTES);
            match builder.spawn(move || work(&receiver)) {
                Ok(_) => threads.push(sender),
                Err(_) => break,
            }
        }
        Members { pool: self, threads }
    }
}

/// Executes jobs until there is no pool.
fn work(jobs: &Receiver<Job>) {
    IS_IN_REGION.set(true);
    while let Ok(Job { body, number, done }) = jobs.recv() {
        body(number);
        // The receiver waits for all threads.
        let _ = done.send(());
    }
}

impl Members<'_> {
    /// The number of threads of the team, the calling one included.
    pub(super) fn count(&self) -> i32 {
        self.threads.len() as i32 + 1
    }

    /// Runs `body` in all threads, which are numbered; the calling one is number 0.
    pub(super) fn run(self, body: &(dyn Fn(i32) + Sync)) {
        let (done, ended) = channel();
        // SAFETY: the reference is used until each thread has sent, for which this function waits. A thread
        // that ends without sending drops its sender after its last use of the reference.
        let body: &'static (dyn Fn(i32) + Sync) = unsafe { std::mem::transmute(body) };
        for (number, thread) in (1..).zip(&self.threads) {
            let job = Job { body, number, done: done.clone() };
            if let Err(unsent) = thread.send(job) {
                drop(unsent);
            }
        }
        drop(done);
        in_region(|| body(0));
        while ended.recv().is_ok() {}
        self.pool.idle.lock().extend(self.threads);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_members_run_at_once_and_again() {
        let pool = Pool::default();
        for count in [3, 1, 4] {
            let members = pool.take(count - 1);
            assert_eq!(members.count() as usize, count);
            let (all, sum) = (Barrier::new(count), AtomicUsize::new(0));
            members.run(&|number| {
                assert!(is_in_region());
                all.wait();
                sum.fetch_add(number as usize + 1, Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), count * (count + 1) / 2);
            assert!(!is_in_region());
        }
    }
}
