//! The worker pool: threads that run tasks from their queues.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::Duration;

use crate::base::fatal::fail_and_suspend;
use crate::base::signals::{self, FaultHooks};
use crate::heap::{self, Ref};
use crate::scheduler::compensation::Compensation;
use crate::scheduler::fiber::{self, Fiber};
use crate::scheduler::queues::{MAX_EXTRA_WORKERS, Queues};
use crate::scheduler::stack_budget::FinishHeader;
use crate::scheduler::task::Task;

/// The pool of this process.
struct Pool {
    queues: Queues,
    workers: usize,
    /// There are at least as many CPUs as workers.
    has_cpu_per_worker: bool,
    compensation: Compensation,
}

/// A thread of the pool.
pub(super) struct Worker {
    pub(super) number: usize,
    /// Whether the worker handles messages of other places, and runs the tasks in them.
    pub(super) handles_messages: Cell<bool>,
    /// Whether the worker has helped with a parallel loop and not searched since: another one may begin soon.
    pub(super) expects_loop: Cell<bool>,
    /// Whether the worker reads messages of other places when they wake it.
    pub(super) reads_messages: Cell<bool>,
}

static POOL: OnceLock<Pool> = OnceLock::new();

thread_local! {
    static WORKER: Cell<Option<&'static Worker>> = const { Cell::new(None) };
}

/// Default number of workers of a place: one for each CPU, but at least two. A resumed activity needs an idle
/// worker, so one worker would not suffice for a program that spins until another activity, which sleeps now
/// and then, is done.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2)
}

/// Starts the pool with that number of workers (0: the default); no effect if it runs already. Fibers run
/// `task_loop`.
///
/// # Errors
/// The system has no thread for a worker, in words for the user.
pub fn start(workers: usize, task_loop: fn(&'static Fiber) -> !) -> Result<(), String> {
    fiber::set_task_loop(task_loop);
    heap::add_queues(each_queued_word);
    signals::set_fault_hooks(FaultHooks {
        activity_stack: || fiber::current().map(Fiber::stack),
        abandon_thread: heap::abandon_thread,
    });
    let mut started = Ok(());
    POOL.get_or_init(|| {
        let workers = match workers {
            0 => default_threads(),
            workers => workers,
        };
        let queues = Queues::new(workers);
        for number in 0..workers {
            if let Err(error) = start_worker(number) {
                started = Err(format!(
                    "cannot start thread {number} of {workers}: {error}; ask for fewer with --threads, or raise the limit on \
                     processes (`ulimit -u`, a container's)"
                ));
                break;
            }
        }
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let compensation = Compensation::new(workers);
        Pool { queues, workers, has_cpu_per_worker: workers <= cpus, compensation }
    });
    started
}

/// Starts a worker or a compensating thread.
fn start_worker(number: usize) -> std::io::Result<()> {
    let name = format!("apg-worker-{number}");
    std::thread::Builder::new().name(name).spawn(move || run_worker(number)).map(drop)
}

/// Main function of a worker, or of a compensating thread. Only the latter may return.
fn run_worker(number: usize) {
    let worker = Worker {
        number,
        handles_messages: Cell::new(false),
        expects_loop: Cell::new(false),
        reads_messages: Cell::new(false),
    };
    let worker = Box::into_raw(Box::new(worker));
    // SAFETY: it lives as long as the thread runs activities.
    WORKER.with(|cell| cell.set(Some(unsafe { &*worker })));
    signals::prepare_thread();
    let pool = pool();
    pool.queues.begin_thread(number);
    let run = || fiber::run_fibers(number, pool.queues.shared(number));
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    if outcome.is_err() {
        report!("apg: internal error in the runtime; this is a defect of apg, please report it");
        fail_and_suspend(70);
    }
    WORKER.with(|cell| cell.set(None));
    // SAFETY: made above; nobody refers to it any more.
    drop(unsafe { Box::from_raw(worker) });
    signals::release_thread();
    pool.queues.end_thread(number);
    pool.compensation.has_ended(number);
}

fn pool() -> &'static Pool {
    POOL.get_or_init(|| unreachable!("the pool is started before anything runs"))
}

pub(super) fn queues() -> &'static Queues {
    &pool().queues
}

pub(super) fn compensation() -> &'static Compensation {
    &pool().compensation
}

/// The calling worker. Not inlined: an activity may have moved to another thread.
#[inline(never)]
pub(super) fn worker() -> Option<&'static Worker> {
    WORKER.with(Cell::get)
}

/// Adds a task: to the deque of the caller if it is a worker, otherwise to the injector.
pub(crate) fn push(task: Task) {
    match worker() {
        Some(worker) => queues().push(worker.number, task),
        None => queues().inject(task),
    }
}

/// Adds an activity that is ready to resume. If there are compensating threads, it goes to the injector,
/// since the caller may be a worker that does not return to its queue soon.
pub(crate) fn push_resumed(task: Task) {
    let pool = pool();
    if !pool.compensation.is_needed() {
        return push(task);
    }
    pool.queues.inject(task);
    wake_compensating();
}

/// Wakes a resting compensating thread for an injected task, if all workers are active.
pub(crate) fn wake_compensating() {
    let pool = pool();
    if pool.compensation.is_needed() && pool.queues.all_active() {
        pool.compensation.summon_resting();
    }
}

/// Adds a task behind all others. A task from a message that an idle worker has handled goes to that worker's
/// own queue.
pub(crate) fn push_last(task: Task) {
    let queues = queues();
    match worker() {
        Some(worker) if worker.handles_messages.get() && queues.own_is_empty(worker.number) => {
            queues.push(worker.number, task);
        }
        _ => queues.inject(task),
    }
}

/// Wakes a sleeping worker for more work, if there is one and no worker searches.
pub fn wake_worker() {
    queues().notify();
}

/// Adds an activity that consists of a closure and its finish to the deque of the calling worker.
#[inline]
pub(crate) fn push_closure(worker: usize, closure: Ref, finish: *const FinishHeader) {
    queues().push_closure(worker, closure, finish);
}

/// Takes the calling worker's newest task, and returns its closure, if the task is a closure of that finish.
#[inline]
pub(crate) fn pop_own_of(worker: usize, finish: *const FinishHeader) -> Option<Ref> {
    queues().pop_of(worker, finish)
}

/// Takes the newest task of the calling worker.
pub(crate) fn own_task(worker: usize) -> Option<Task> {
    queues().pop(worker)
}

/// Whether the calling worker would have no task if the calling activity suspended itself.
pub fn has_nothing_else_to_do() -> bool {
    let queues = queues();
    worker().is_some_and(|worker| queues.own_is_empty(worker.number) && queues.nothing_injected())
}

/// Blocks the calling activity's thread for at most `time`, or until there is a task that no idle worker
/// takes. False if there is such a task.
pub fn park_briefly(time: Duration) -> bool {
    let queues = queues();
    let is_free = |worker: &&Worker| worker.number < pool().workers && queues.is_empty();
    let Some(worker) = worker().filter(is_free) else { return false };
    queues.begin_search();
    queues.park_briefly(worker.number, time);
    end_search();
    queues.is_empty()
}

/// Notes that the calling worker, which has searched, has a task. If all workers are active now, the monitor
/// of compensating threads watches the queues.
pub(super) fn end_search() {
    let pool = pool();
    pool.queues.end_search();
    if pool.queues.all_active() {
        pool.compensation.watch(&pool.queues, start_worker);
    }
}

/// Visits each word in the workers' queues, as roots of a collection; all threads are stopped.
fn each_queued_word(visit: &mut dyn FnMut(usize)) {
    if let Some(pool) = POOL.get() {
        pool.queues.each_word(visit);
    }
}

/// Whether all workers sleep, nothing is queued, and `condition` is true, at the same moment.
pub(super) fn has_all_workers_idle(condition: impl FnOnce() -> bool) -> bool {
    POOL.get().is_some_and(|pool| pool.queues.is_idle(condition))
}

/// As [`has_all_workers_idle`], and no compensating thread has work.
pub(super) fn has_all_threads_idle(condition: impl FnOnce() -> bool) -> bool {
    POOL.get().is_some_and(|pool| pool.compensation.rests(|| pool.queues.is_idle(condition)))
}

/// Number of workers.
pub fn worker_count() -> usize {
    POOL.get().map_or(0, |pool| pool.workers)
}

/// Whether workers may spin without keeping each other from running.
pub(super) fn has_cpu_per_worker() -> bool {
    pool().has_cpu_per_worker
}

/// Maximum number of threads: workers and compensating threads.
pub fn max_worker_count() -> usize {
    worker_count() + MAX_EXTRA_WORKERS
}

/// Number of tasks in the deque of the calling worker; 0 outside of the pool.
pub fn queue_length() -> usize {
    worker().map_or(0, |worker| queues().own_length(worker.number))
}

/// Number of the calling worker, if the thread is one.
pub fn worker_number() -> Option<usize> {
    worker().map(|worker| worker.number)
}

/// Whether the caller handles messages in a worker that has nothing else to do.
pub fn handles_messages() -> bool {
    worker().is_some_and(|worker| worker.handles_messages.get())
}
