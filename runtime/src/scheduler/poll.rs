//! Polling for messages of other places by workers that have nothing else to do: an answer that is about to
//! come is read sooner than a sleeping thread could be woken for it.
//!
//! One worker polls at a time. Where messages come from sockets, one idle worker also sleeps on these
//! ([`Waiter`]), and handles what wakes it. There, workers poll before they sleep only while they have their
//! CPUs for themselves ([`crate::scheduler::contention`]): where other threads want these, a polling worker
//! loses its CPU for a time slice, and a sleeping worker is woken at once. A worker that will sleep for an
//! answer takes over the reading as soon as the question is sent, so that the answer wakes no other thread.
//!
//! Places that rely on a poller send without waking anybody here, so that it announces itself first, unless
//! only the place that was just asked relies on it, and withdraws before it ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::base::place::PlaceId;
use crate::heap;
use crate::net::endpoint::Waiter;
use crate::scheduler::contention::{Contention, PREEMPTION};
use crate::scheduler::pool::{self, Worker};
use crate::scheduler::queues::SearchState;
use crate::scheduler::task::Task;

/// A source of messages of other places.
pub trait MessagePoller: Send + Sync {
    /// A worker polls from now on, or no longer.
    fn announce(&self, begins: bool);
    /// Handles messages that have come, or one of them; whether there were any.
    fn poll(&self) -> bool;
    /// The only place that knew of the poller has answered, and no longer relies on it. Whether no place
    /// does.
    fn is_answered(&self, by: PlaceId) -> bool;
}

/// How messages are polled for.
pub struct PollPolicy {
    /// Their source.
    pub poller: &'static dyn MessagePoller,
    /// Processes that do so on the same CPUs.
    pub processes: usize,
    /// Not only workers that wait for an answer do so, but also idle ones before they sleep.
    pub is_by_idle_workers: bool,
    /// A poll costs system calls.
    pub is_costly: bool,
    /// What one idle worker sleeps on.
    pub waiter: Option<Arc<dyn Waiter>>,
}

/// The source, and how it is polled.
static POLLER: OnceLock<Polling> = OnceLock::new();

struct Polling {
    poller: &'static dyn MessagePoller,
    /// How long a worker polls.
    budget: Duration,
    intervals: Intervals,
    /// Not only by those that wait for an answer.
    is_by_idle_workers: bool,
    waiter: Option<Arc<dyn Waiter>>,
    contention: Contention,
}

impl Polling {
    /// Whether a worker polls just once before it sleeps: other threads want its CPU.
    fn sleeps_at_once(&self) -> bool {
        self.waiter.is_some() && self.contention.is_expected(Instant::now())
    }
}

/// What a poller does besides, in polls that find nothing from one time to the next.
#[derive(Clone, Copy)]
struct Intervals {
    search: u32,
    /// A multiple of `search`.
    time_check: u32,
    /// Other threads of this CPU may run at each search: one of them may be what sends the answer.
    yields: bool,
}

/// How long a worker spins: about as long as it takes to wake a thread.
const SPIN_BUDGET: Duration = Duration::from_micros(50);

/// A worker polls.
static IS_POLLED: AtomicBool = AtomicBool::new(false);

/// From now on, workers that wait for an answer poll for a while, and so do idle ones before they sleep if
/// that is wanted.
pub fn set_poller(policy: PollPolicy) {
    /// With fewer CPUs than processes, a poller may keep the sender from sending.
    const OVERSUBSCRIBED_SPIN_BUDGET: Duration = Duration::from_micros(2);
    const INTERVALS: Intervals = Intervals { search: 16, time_check: 64, yields: false };
    const INTERVALS_OF_COSTLY_POLLS: Intervals = Intervals { search: 4, time_check: 4, yields: true };
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let budget = if policy.processes <= cpus { SPIN_BUDGET } else { OVERSUBSCRIBED_SPIN_BUDGET };
    let intervals = if policy.is_costly { INTERVALS_OF_COSTLY_POLLS } else { INTERVALS };
    let PollPolicy { poller, is_by_idle_workers, waiter, .. } = policy;
    let contention = Contention::default();
    let _ = POLLER.set(Polling { poller, budget, intervals, is_by_idle_workers, waiter, contention });
}

/// What one idle worker sleeps on, if messages can wake it.
pub(super) fn waiter() -> Option<&'static dyn Waiter> {
    POLLER.get()?.waiter.as_deref()
}

/// Whether idle workers sleep at once, on messages: other threads want their CPUs.
pub(super) fn sleeps_at_once() -> bool {
    POLLER.get().is_some_and(Polling::sleeps_at_once)
}

/// The calling worker no longer reads what comes when that wakes it.
pub(super) fn end_reading(worker: &Worker) {
    if worker.reads_messages.get() {
        waiter().into_iter().for_each(|waiter| pool::queues().end_reading(worker, waiter));
    }
}

/// Which places rely on the polling worker.
#[derive(Clone, Copy)]
enum PollerVisibility {
    None,
    /// The place that was asked, until it has answered.
    Asked(PlaceId),
    All,
}

/// The right to poll, until it is dropped.
pub struct PollGuard {
    worker: &'static Worker,
    polling: &'static Polling,
    visibility: PollerVisibility,
    /// The worker polls just once.
    sleeps_at_once: bool,
    /// When the time was read for the first and for the last time since a message came.
    times: Option<(Instant, Instant)>,
    polls: u32,
    /// The stops of the collector before the last poll.
    stops: u32,
}

impl PollGuard {
    /// `None` if there are no other places, or another worker polls.
    fn new(worker: &'static Worker) -> Option<PollGuard> {
        let polling = POLLER.get()?;
        if IS_POLLED.swap(true, Ordering::Acquire) {
            return None;
        }
        let sleeps_at_once = polling.sleeps_at_once();
        let visibility = PollerVisibility::None;
        let stops = heap::stop_count();
        Some(PollGuard { worker, polling, visibility, sleeps_at_once, times: None, polls: 0, stops })
    }

    /// From now on all places rely on it.
    fn announce(&mut self) {
        if !matches!(self.visibility, PollerVisibility::All) {
            self.visibility = PollerVisibility::All;
            self.polling.poller.announce(true);
        }
    }

    /// The place that was asked relies on the caller to poll for its answer.
    pub fn promise_to(&mut self, place: PlaceId) {
        self.visibility = PollerVisibility::Asked(place);
    }

    /// The answer has come.
    fn end_promise(&mut self) {
        if let PollerVisibility::Asked(place) = self.visibility
            && self.polling.poller.is_answered(place)
        {
            self.visibility = PollerVisibility::None;
        }
    }

    /// Handles messages that have come, or one of them; whether there were any. The tasks that they bring are
    /// the caller's.
    fn poll(&mut self) -> bool {
        self.worker.handles_messages.set(true);
        let came = self.polling.poller.poll();
        self.worker.handles_messages.set(false);
        if came {
            (self.times, self.polls) = (None, 0);
            if heap::is_memory_short() {
                // Bodies that ran in the handlers left references below, which frames to come may cover.
                heap::forget_ended_calls();
            }
        } else if self.polling.waiter.is_some() {
            self.observe_preemption();
        }
        came
    }

    /// Nothing has come. The worker sleeps from now on if it was preempted since the last poll.
    fn observe_preemption(&mut self) {
        let stops = heap::stop_count();
        let now = Instant::now();
        // A collection stops pollers as well.
        let was_stopped = stops != std::mem::replace(&mut self.stops, stops);
        let (first, last) = self.times.unwrap_or((now, now));
        self.times = Some((first, now));
        if !was_stopped && now.duration_since(last) >= PREEMPTION {
            self.polling.contention.observe(now);
            self.sleeps_at_once = true;
        }
    }

    /// Nothing has come. Whether it is time to search the queues.
    fn should_search(&mut self) -> bool {
        /// The first polls follow each other closely: most answers come within a microsecond.
        const CLOSE_POLLS: u32 = 64;
        if self.polls == CLOSE_POLLS {
            // Longer than an answer takes that is on its way.
            self.announce();
        }
        if self.polls > CLOSE_POLLS {
            std::hint::spin_loop();
        }
        self.polls = self.polls.wrapping_add(1);
        let intervals = self.polling.intervals;
        let is_time = self.sleeps_at_once || self.polls.is_multiple_of(intervals.search);
        if is_time && intervals.yields && !self.sleeps_at_once {
            std::thread::yield_now();
        }
        is_time
    }

    /// Whether the budget is used up, or the worker should have slept instead.
    fn is_over(&mut self) -> bool {
        if self.sleeps_at_once {
            return true;
        }
        if !self.polls.is_multiple_of(self.polling.intervals.time_check) {
            return false;
        }
        let now = Instant::now();
        let (first, _) = *self.times.get_or_insert((now, now));
        now.duration_since(first) > self.polling.budget
    }
}

impl Drop for PollGuard {
    fn drop(&mut self) {
        /// A source may hand over one message a poll.
        const MAX_LAST_POLLS: u32 = 32;
        if !matches!(self.visibility, PollerVisibility::None) {
            self.polling.poller.announce(false);
            // What came before the other places heard of it.
            for _ in 0..MAX_LAST_POLLS {
                if !self.poll() {
                    break;
                }
            }
        }
        IS_POLLED.store(false, Ordering::Release);
    }
}

/// Handles what has woken the calling worker, which reads messages, unless another worker polls.
pub(super) fn poll_once(worker: &'static Worker) {
    if let Some(mut guard) = PollGuard::new(worker) {
        guard.poll();
    }
}

/// Polls until there is a task, or the budget is used up. The calling worker, which searches, runs the task
/// itself, so that nobody is woken. `None` if it may not poll.
pub(super) fn poll_for_task(worker: &'static Worker, search: &mut SearchState) -> Option<Option<Task>> {
    if !POLLER.get()?.is_by_idle_workers {
        return None;
    }
    let mut guard = PollGuard::new(worker)?;
    guard.announce();
    let queues = pool::queues();
    let mut found = queues.find(worker.number, search);
    while found.is_none() {
        if guard.poll() {
            found = queues.find(worker.number, search);
        } else if guard.should_search() {
            found = queues.find(worker.number, search);
            if guard.is_over() {
                break;
            }
        }
    }
    drop(guard);
    Some(found.or_else(|| queues.find(worker.number, search)))
}

/// Spins until `is_done` in place of the calling activity, which is about to wait for another thread of this
/// process, if its worker has nothing else to do and spinning takes no CPU from others. It may end before:
/// there is something else to do, or it takes longer.
pub fn spin_until(is_done: impl Fn() -> bool) {
    const CHECK_INTERVAL: u32 = 64;
    let Some(worker) = pool::worker() else { return };
    let queues = pool::queues();
    let is_free = || queues.own_is_empty(worker.number) && queues.nothing_ready();
    if crate::base::sanitizer::watches_threads() || !pool::has_cpu_per_worker() || !is_free() {
        return;
    }
    let began = Instant::now();
    let mut polls = 0_u32;
    while !is_done() {
        std::hint::spin_loop();
        polls = polls.wrapping_add(1);
        if polls.is_multiple_of(CHECK_INTERVAL) && (!is_free() || began.elapsed() > SPIN_BUDGET) {
            break;
        }
    }
}

fn may_wait_by_polling(worker: &Worker) -> bool {
    pool::queues().own_is_empty(worker.number) && !crate::base::sanitizer::watches_threads()
}

/// The right to poll in place of the calling activity, which is about to ask another place, if its worker has
/// nothing else to do.
pub fn begin_polling() -> Option<PollGuard> {
    let (worker, polling) = (pool::worker()?, POLLER.get()?);
    let may_poll = may_wait_by_polling(worker) && !polling.sleeps_at_once();
    may_poll.then(|| PollGuard::new(worker))?
}

/// The same for an activity that has asked and waits now. Where the worker will rather sleep, it reads what
/// comes from now on, and not before it has asked: its send may wait until both places read.
pub(super) fn begin_polling_or_reading() -> Option<PollGuard> {
    let (worker, polling) = (pool::worker()?, POLLER.get()?);
    if !may_wait_by_polling(worker) {
        return None;
    }
    if !polling.sleeps_at_once() {
        return PollGuard::new(worker);
    }
    if let Some(waiter) = polling.waiter.as_deref().filter(|_| worker.number < pool::worker_count()) {
        pool::queues().begin_reading(worker, waiter);
    }
    None
}

/// The calling activity does not wait any more.
pub(super) fn continue_without_wait() {
    pool::worker().into_iter().for_each(end_reading);
}

/// Polls until `is_done`: the activity that waits need not leave its thread. Whether it is done: if not,
/// there is something else to do, or it takes longer.
pub(super) fn poll_until(mut guard: PollGuard, is_done: impl Fn() -> bool) -> bool {
    let (worker, queues) = (guard.worker, pool::queues());
    if matches!(guard.visibility, PollerVisibility::None) {
        guard.announce();
    }
    while !is_done() {
        if guard.poll() {
            if !queues.own_is_empty(worker.number) {
                break;
            }
        } else if guard.should_search() && (!queues.nothing_ready() || guard.is_over()) {
            break;
        }
    }
    if is_done() {
        guard.end_promise();
    }
    drop(guard);
    if !is_done() {
        return false;
    }
    if !queues.own_is_empty(worker.number) {
        // The caller does not come to it.
        queues.notify();
    }
    true
}
