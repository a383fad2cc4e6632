//! The threads that run activities.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crossbeam_deque::Worker;

use super::fiber;
use super::queues::{Queues, Task};

/// The pool of this process.
struct Pool {
    queues: Queues,
    threads: usize,
}

/// What a thread of the pool has for itself.
struct Own {
    number: usize,
    queue: Worker<Task>,
}

static POOL: OnceLock<Pool> = OnceLock::new();
/// Reasons outside the pool why a waiting activity may go on: timers, devices, other places.
static EXTERNAL: AtomicUsize = AtomicUsize::new(0);
/// Activities that wait.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);
/// What to do when all activities wait for ever.
static ON_DEADLOCK: OnceLock<fn()> = OnceLock::new();
static REPORTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static OWN: Cell<Option<&'static Own>> = const { Cell::new(None) };
}

/// Starts the pool with that many threads (0: one for each processor); without effect when it runs already.
pub fn start(threads: usize) {
    POOL.get_or_init(|| {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let own: Vec<Worker<Task>> = (0..threads).map(|_| Worker::new_lifo()).collect();
        let queues = Queues::new(&own);
        for (number, queue) in own.into_iter().enumerate() {
            let spawned = std::thread::Builder::new()
                .name(format!("apg-worker-{number}"))
                .spawn(move || work(Own { number, queue }));
            if let Err(error) = spawned {
                remark!(
                    "apg: cannot start thread {number} of {threads}: {error}; ask for fewer with --threads"
                );
                end_process(1);
            }
        }
        Pool { queues, threads }
    });
}

/// A thread of the pool.
fn work(own: Own) {
    let own: &'static Own = Box::leak(Box::new(own));
    OWN.with(|cell| cell.set(Some(own)));
    crate::signals::prepare_thread();
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fiber::drive()));
    if outcome.is_err() {
        remark!("apg: internal error in the runtime; this is a defect of apg, please report it");
    }
    end_process(70);
}

/// Ends the process at once, with what is buffered written out.
pub fn end_process(status: i32) -> ! {
    crate::natives::console::flush_all();
    std::process::exit(status)
}

fn pool() -> &'static Pool {
    POOL.get_or_init(|| unreachable!("the pool is started before anything runs"))
}

/// Not inlined: an activity may go on in another thread.
#[inline(never)]
fn own() -> Option<&'static Own> {
    OWN.with(Cell::get)
}

/// Adds work: to this thread's own queue if it has one.
pub fn push(task: Task) {
    match own() {
        Some(own) => {
            own.queue.push(task);
            pool().queues.notify();
        }
        None => pool().queues.inject(task),
    }
}

/// Adds work behind all other work.
pub fn push_last(task: Task) {
    pool().queues.inject(task);
}

/// The newest task of this thread, if `wanted` says so.
pub fn pop_own_if(wanted: impl FnOnce(&Task) -> bool) -> Option<Task> {
    let own = own()?;
    let task = own.queue.pop()?;
    if wanted(&task) {
        return Some(task);
    }
    own.queue.push(task);
    None
}

/// The caller's thread would have nothing to do if the caller suspended itself.
pub fn nothing_else_to_do() -> bool {
    own().is_some_and(|own| own.queue.is_empty() && pool().queues.nothing_injected())
}

/// The next task for this thread; waits for one.
pub fn next_task() -> Task {
    let own = own().unwrap_or_else(|| unreachable!("only threads of the pool look for work"));
    let queues = &pool().queues;
    loop {
        if let Some(task) = queues.find(&own.queue, own.number) {
            return task;
        }
        queues.wait(look_for_deadlock);
    }
}

/// Number of threads.
pub fn worker_count() -> usize {
    POOL.get().map_or(0, |pool| pool.threads)
}

/// Number of the calling thread in the pool, if it is one of it.
pub fn worker_number() -> Option<usize> {
    own().map(|own| own.number)
}

/// Says that an activity begins or ends to wait.
pub fn count_blocked(begins: bool) {
    if begins {
        BLOCKED.fetch_add(1, Ordering::SeqCst);
    } else {
        BLOCKED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Something outside the pool that will wake an activity, or start one.
#[derive(Debug)]
pub struct External(());

/// From now on, until the value is dropped, activities that all wait are no deadlock.
pub fn external() -> External {
    EXTERNAL.fetch_add(1, Ordering::SeqCst);
    External(())
}

impl Drop for External {
    fn drop(&mut self) {
        // Only threads that all sleep already need to look for a deadlock again; one that is awake will before it sleeps.
        let last = EXTERNAL.fetch_sub(1, Ordering::SeqCst) == 1;
        if let Some(pool) = POOL.get().filter(|pool| last && pool.queues.idle()) {
            pool.queues.notify();
        }
    }
}

/// From now on, calls `report` when all activities wait for each other.
pub fn check_for_deadlock(report: fn()) {
    let _ = ON_DEADLOCK.set(report);
}

/// Whether nothing here can go on by itself: all threads sleep, and nothing outside the pool will wake one, but for other places.
pub fn stuck() -> bool {
    POOL.get().is_some_and(|pool| EXTERNAL.load(Ordering::SeqCst) == 0 && pool.queues.idle())
}

/// Called by the last thread that finds nothing to do.
fn look_for_deadlock() {
    let Some(report) = ON_DEADLOCK.get() else { return };
    if BLOCKED.load(Ordering::SeqCst) > 0 && stuck() && !REPORTED.swap(true, Ordering::SeqCst) {
        report();
    }
}
