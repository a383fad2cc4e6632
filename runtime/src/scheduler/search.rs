//! The search of an idle worker for a task: its own deque, messages of other places, the injector, other
//! workers' deques; then sleep.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::scheduler::pool::{self, Worker, compensation, queues};
use crate::scheduler::queues::SearchState;
use crate::scheduler::task::Task;
use crate::scheduler::{admission, poll, quiescence};

/// Threads outside of the pool that are about to add a task: see [`hint_work_soon`].
static HINTS: AtomicUsize = AtomicUsize::new(0);
/// A worker spins for the task of a hint.
static HAS_SPINNER: AtomicBool = AtomicBool::new(false);

/// A thread outside of the pool is about to add a task, or has done so: meanwhile one idle worker searches
/// instead of sleeping, since to wake it then would take longer than all that is left to wait for.
pub fn hint_work_soon(begins: bool) {
    if begins {
        HINTS.fetch_add(1, Ordering::SeqCst);
        pool::wake_worker();
    } else {
        HINTS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A worker that has helped with a parallel loop spins for the next one, which often follows soon: to wake
/// all workers takes longer than a short loop. Looks now and then for other tasks.
fn spin_for_loop(worker: &Worker, search: &mut SearchState) -> Option<Task> {
    const SPIN: Duration = Duration::from_micros(100);
    const ROUNDS_PER_SEARCH: u32 = 32;
    let (queues, began) = (queues(), Instant::now());
    loop {
        for _ in 0..ROUNDS_PER_SEARCH {
            if queues.loops().find_open().is_some() {
                break;
            }
            std::hint::spin_loop();
        }
        let found = queues.find(worker.number, search);
        if found.is_some() || began.elapsed() > SPIN {
            return found;
        }
    }
}

/// Searches all queues several times.
fn search_for_a_while(worker: &Worker, search: &mut SearchState) -> Option<Task> {
    /// The first searches follow each other closely; between the last ones other threads may run.
    const CLOSE_SEARCHES: u32 = 6;
    const MAX_SEARCHES: u32 = 10;
    (0..MAX_SEARCHES).find_map(|round| {
        let found = queues().find(worker.number, search);
        match round {
            _ if found.is_some() => {}
            ..CLOSE_SEARCHES => (0..4 << round).for_each(|_| std::hint::spin_loop()),
            _ => std::thread::yield_now(),
        }
        found
    })
}

/// Spins as long as a task is hinted at, unless another worker does: looks all the time for tasks from
/// outside, and now and then for those of other workers, which may want them at once themselves.
fn spin_for_hints(worker: &Worker, search: &mut SearchState) -> Option<Task> {
    /// Rounds until other threads may run between two.
    const CLOSE_ROUNDS: u32 = 64;
    /// Rounds from one search of all queues to the next.
    const ROUNDS_PER_SEARCH: u32 = 32;
    if HINTS.load(Ordering::SeqCst) == 0 || HAS_SPINNER.swap(true, Ordering::Acquire) {
        return None;
    }
    poll::end_reading(worker);
    let (queues, mut found, mut round) = (queues(), None, 0_u32);
    while found.is_none() && HINTS.load(Ordering::SeqCst) > 0 {
        match round {
            ..CLOSE_ROUNDS => std::hint::spin_loop(),
            _ => std::thread::yield_now(),
        }
        round = if round == u32::MAX { CLOSE_ROUNDS } else { round + 1 };
        found = match round % ROUNDS_PER_SEARCH {
            0 => queues.find(worker.number, search),
            _ => queues.find_injected(worker.number),
        };
    }
    HAS_SPINNER.store(false, Ordering::Release);
    // The hint may have ended just after its task was added.
    found.or_else(|| queues.find(worker.number, search))
}

/// Handles the messages that have woken the worker, and searches once: other threads want its CPU.
fn search_once(worker: &'static Worker, search: &mut SearchState) -> Option<Task> {
    if worker.reads_messages.get() {
        poll::poll_once(worker);
    }
    queues().find(worker.number, search)
}

/// Polls for messages for a while, or searches if the worker may not.
fn poll_and_search(worker: &'static Worker, search: &mut SearchState) -> Option<Task> {
    let polled = poll::poll_for_task(worker, search);
    // Not before it has polled: another thread would be woken for the same messages.
    poll::end_reading(worker);
    polled.unwrap_or_else(|| {
        let expected = (worker.expects_loop.take() && pool::has_cpu_per_worker())
            .then(|| spin_for_loop(worker, search))
            .flatten();
        expected.or_else(|| search_for_a_while(worker, search))
    })
}

/// A task for this compensating thread, which has none; waits for one. `None` if it is to end.
fn next_compensating_task(worker: usize) -> Option<Task> {
    loop {
        let found = queues().find_for_extra(worker);
        if found.is_some() || !compensation().rest(worker) {
            return found;
        }
    }
}

/// A task for the calling worker, which has none; waits for one. `None` if the thread is to end.
pub fn next_task() -> Option<Task> {
    /// Timeouts of sleep, the first and the longest: a task that was overlooked (see
    /// [`crate::scheduler::sleep`]) is found soon.
    const EMPTY_TIMEOUTS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));
    /// The same when there are tasks that their owners take before another worker gets them.
    const CONTENDED_TIMEOUTS: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(2));
    let worker = pool::worker().unwrap_or_else(|| unreachable!("only workers search for tasks"));
    let queues = queues();
    if worker.number >= pool::worker_count() {
        return next_compensating_task(worker.number);
    }
    queues.begin_search();
    let (mut search, mut empty, mut contended) =
        (SearchState::default(), EMPTY_TIMEOUTS.0, CONTENDED_TIMEOUTS.0);
    loop {
        let found = match poll::sleeps_at_once() {
            true => search_once(worker, &mut search),
            false => poll_and_search(worker, &mut search),
        };
        let may_be_hinted = found.is_none();
        if let Some(task) = found.or_else(|| spin_for_hints(worker, &mut search)) {
            poll::end_reading(worker);
            pool::end_search();
            if may_be_hinted && HINTS.load(Ordering::SeqCst) > 1 {
                // Another worker spins for the next one.
                queues.notify();
            }
            return Some(task);
        }
        queues.wait(worker, empty, contended, quiescence::check_for_deadlock);
        admission::admit_batch();
        (empty, contended) = (EMPTY_TIMEOUTS.1.min(empty * 5), CONTENDED_TIMEOUTS.1.min(contended * 2));
    }
}
