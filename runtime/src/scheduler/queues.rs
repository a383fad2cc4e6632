//! Queues of the pool: a deque for each worker, and an injector for tasks from other threads. Idle workers
//! search them in turn: work stealing (Blumofe and Leiserson, *Scheduling Multithreaded Computations by Work
//! Stealing*, JACM 1999).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_deque::{Injector, Steal};

use crate::heap::Ref;
use crate::net::endpoint::Waiter;
use crate::scheduler::admission;
use crate::scheduler::deque::{Deque, Pair, Stolen};
use crate::scheduler::parallel_job::ParallelLoops;
use crate::scheduler::poll;
use crate::scheduler::pool::Worker;
use crate::scheduler::sleep::Sleep;
use crate::scheduler::stack_budget::FinishHeader;
use crate::scheduler::task::{Task, is_resume};

/// Maximum number of compensating threads of a place.
pub(super) const MAX_EXTRA_WORKERS: usize = 1000;

/// The deques and counters of one thread. Other threads steal from the deques and read the counters.
struct WorkerQueues {
    own: Deque,
    /// Activities that the thread has deferred.
    deferred: Deque,
    /// Number of tasks that the thread has taken to run. Only the thread itself writes it.
    tasks: AtomicU64,
    /// Thread id (`gettid`), and id of the thread's CPU-time clock; 0 while there is none.
    thread: AtomicI32,
    clock: AtomicI32,
    /// Number of tasks that are reserved for compensating threads.
    to_take: AtomicUsize,
}

impl WorkerQueues {
    fn new() -> WorkerQueues {
        WorkerQueues {
            own: Deque::new(),
            deferred: Deque::new(),
            tasks: AtomicU64::new(0),
            thread: AtomicI32::new(0),
            clock: AtomicI32::new(0),
            to_take: AtomicUsize::new(0),
        }
    }

    /// Notes that the owner has taken a task to run.
    #[inline]
    fn count_task(&self) {
        self.tasks.store(self.tasks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// State of a thread and its queue, for the monitor ([`crate::scheduler::compensation`]).
#[derive(Clone, Copy, Default)]
pub(super) struct Snapshot {
    pub is_empty: bool,
    /// Index of the oldest task.
    pub top: isize,
    /// The oldest task is an activity that is ready to resume.
    pub is_resumed: bool,
    /// Changes when the owner takes or adds a task.
    pub recent: (u64, u64),
}

/// All queues of the pool.
pub(super) struct Queues {
    injector: Injector<Task>,
    /// Number of tasks taken from the injector so far.
    taken: AtomicU64,
    /// Queues of the workers.
    own: Vec<WorkerQueues>,
    /// Queues of the compensating threads, whose numbers follow those of the workers.
    extra: Vec<OnceLock<Box<WorkerQueues>>>,
    /// Number of entries of `extra` that have been used.
    extra_used: AtomicUsize,
    loops: ParallelLoops,
    sleep: Sleep,
}

/// What a searching worker remembers from one search to the next.
#[derive(Default)]
pub(super) struct SearchState {
    /// The only task of another worker's queue, and the number of that worker.
    alone: Option<(usize, Pair)>,
    /// Offset of the first victim; it grows by one with each search.
    start: usize,
}

impl Queues {
    /// Makes the queues of this number of workers.
    pub(super) fn new(threads: usize) -> Queues {
        Queues {
            injector: Injector::new(),
            taken: AtomicU64::new(0),
            own: (0..threads).map(|_| WorkerQueues::new()).collect(),
            extra: (0..MAX_EXTRA_WORKERS).map(|_| OnceLock::new()).collect(),
            extra_used: AtomicUsize::new(0),
            loops: ParallelLoops::new(threads),
            sleep: Sleep::new(threads),
        }
    }

    /// Queues of the thread with that number.
    #[inline]
    fn slot(&self, number: usize) -> Option<&WorkerQueues> {
        match self.own.get(number) {
            Some(slot) => Some(slot),
            None => self.extra.get(number - self.own.len())?.get().map(Box::as_ref),
        }
    }

    /// Queues of the calling thread, which has that number.
    #[inline]
    fn own_queues(&self, number: usize) -> &WorkerQueues {
        self.slot(number).unwrap_or_else(|| unreachable!("made when the thread began"))
    }

    fn slots(&self) -> impl Iterator<Item = &WorkerQueues> {
        (0..self.count()).filter_map(|number| self.slot(number))
    }

    /// Number of threads with queues, including threads that have ended.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.own.len() + self.extra_used.load(Ordering::Acquire)
    }

    /// Registers the calling thread under that number.
    pub(super) fn begin_thread(&self, number: usize) {
        if let Some(extra) = number.checked_sub(self.own.len()) {
            self.extra[extra].get_or_init(|| Box::new(WorkerQueues::new()));
            self.extra_used.fetch_max(extra + 1, Ordering::AcqRel);
        }
        let slot = self.own_queues(number);
        let mut clock = 0;
        // SAFETY: asks for this thread's numbers.
        unsafe {
            slot.thread.store(libc::syscall(libc::SYS_gettid) as i32, Ordering::Relaxed);
            if libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) == 0 {
                slot.clock.store(clock, Ordering::Relaxed);
            }
        }
    }

    /// Deregisters the calling thread, whose queue is empty.
    pub(super) fn end_thread(&self, number: usize) {
        self.own_queues(number).clock.store(0, Ordering::Relaxed);
    }

    /// Id of a thread (`gettid`).
    pub(super) fn thread(&self, number: usize) -> i32 {
        self.slot(number).map_or(0, |slot| slot.thread.load(Ordering::Relaxed))
    }

    /// CPU time of a thread.
    pub(super) fn cpu_time(&self, number: usize) -> Option<Duration> {
        let clock = self.slot(number)?.clock.load(Ordering::Relaxed);
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock of a thread that has ended gives an error.
        let is_known = clock != 0 && unsafe { libc::clock_gettime(clock, &mut time) } == 0;
        is_known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }

    /// Current state of a thread and its queue.
    pub(super) fn snapshot(&self, number: usize) -> Option<Snapshot> {
        let slot = self.slot(number)?;
        let Some((top, oldest, newest)) = slot.own.snapshot() else {
            return Some(Snapshot { is_empty: true, ..Snapshot::default() });
        };
        let recent = (slot.tasks.load(Ordering::Relaxed), newest);
        Some(Snapshot { is_empty: false, top, is_resumed: is_resume(oldest), recent })
    }

    /// Number of tasks taken from the injector so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Number of deferred activities.
    pub(super) fn count_deferred(&self) -> usize {
        self.slots().map(|slot| slot.deferred.len()).sum()
    }

    /// Reserves one more task of that thread's queue for a compensating thread; false if all of its tasks are
    /// reserved.
    pub(super) fn reserve_for_extra(&self, number: usize) -> bool {
        let Some(slot) = self.slot(number) else { return false };
        let one_more = |reserved: usize| (reserved < slot.own.len()).then_some(reserved + 1);
        slot.to_take.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
    }

    /// Finds a task for a compensating thread: an injected one, one of its own, a reserved one, or a deferred
    /// one.
    pub(super) fn find_for_extra(&self, number: usize) -> Option<Task> {
        let task = self.find_injected(number).or_else(|| self.find_reserved());
        task.or_else(|| self.find_deferred(number))
    }

    fn find_reserved(&self) -> Option<Task> {
        let reserved = |slot: &WorkerQueues| {
            let one_less = |reserved: usize| reserved.checked_sub(1);
            slot.to_take.load(Ordering::Relaxed) > 0
                && slot.to_take.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_less).is_ok()
        };
        let pair = self.slots().filter(|slot| reserved(slot)).find_map(|slot| slot.own.steal_one())?;
        // SAFETY: taken from a queue.
        Some(unsafe { Task::from_pair(pair) })
    }

    /// Adds a task to the injector: a task of a thread without a queue, or a task that must not starve behind
    /// later tasks.
    pub(super) fn inject(&self, task: Task) {
        self.injector.push(task);
        self.sleep.notify();
    }

    /// Adds a task to the queue of a thread of the pool.
    pub(super) fn push(&self, number: usize, task: Task) {
        self.own_queues(number).own.push(task.into_pair());
        self.notify_if_needed();
    }

    /// Adds an activity that consists of a closure and its finish.
    #[inline]
    pub(super) fn push_closure(&self, number: usize, closure: Ref, finish: *const FinishHeader) {
        self.own_queues(number).own.push([closure.address(), finish as usize]);
        self.notify_if_needed();
    }

    /// Wakes a worker if needed. Without a preceding fence, this may overlook a worker that is just falling
    /// asleep: see [`crate::scheduler::sleep`].
    #[inline]
    fn notify_if_needed(&self) {
        if self.sleep.should_notify() {
            self.sleep.notify();
        }
    }

    /// A worker's own deque, and the idle workers, for generated code.
    pub(super) fn shared(&self, number: usize) -> (*const Deque, *const Sleep) {
        (&raw const self.own_queues(number).own, &raw const self.sleep)
    }

    /// Wakes a sleeping worker if there is one and no worker searches.
    pub(super) fn notify(&self) {
        self.sleep.notify();
    }

    /// The parallel loops.
    pub(super) fn loops(&self) -> &ParallelLoops {
        &self.loops
    }

    /// Wakes workers for a parallel loop that takes that number of helpers more. Each wakes others itself,
    /// as in a tree, so that the last one wakes soon.
    pub(super) fn notify_helpers(&self, count: usize) {
        const MAX_WAKES: usize = 2;
        self.sleep.notify_many(count.min(MAX_WAKES));
    }

    /// Takes this thread's newest task.
    pub(super) fn pop(&self, number: usize) -> Option<Task> {
        loop {
            let slot = self.own_queues(number);
            // SAFETY: taken from the queue.
            let task = unsafe { Task::from_pair(slot.own.pop()?) };
            slot.count_task();
            if let Some(task) = self.admit_or_defer(number, task) {
                return Some(task);
            }
        }
    }

    /// Returns the task, or defers it if it is an activity that is not admitted now.
    #[inline]
    fn admit_or_defer(&self, number: usize, task: Task) -> Option<Task> {
        if admission::is_on() && task.is_deferrable() {
            self.own_queues(number).deferred.push(task.into_pair());
            return None;
        }
        Some(task)
    }

    /// Takes a deferred activity if one may be started now.
    fn find_deferred(&self, number: usize) -> Option<Task> {
        let own = &self.own_queues(number).deferred;
        if self.nothing_deferred() || !admission::try_admit() {
            return None;
        }
        let take = |other: &Deque| match other.steal(own, None) {
            // The owner has no claim to its last deferred activity.
            Stolen::Alone(pair) => other.steal(own, Some(pair)),
            stolen => stolen,
        };
        let stolen = || {
            self.slots().map(|slot| take(&slot.deferred)).find_map(|stolen| match stolen {
                Stolen::Pair(pair) => Some(pair),
                _ => None,
            })
        };
        // SAFETY: taken from a queue.
        own.pop().or_else(stolen).map(|pair| unsafe { Task::from_pair(pair) })
    }

    /// Takes this thread's newest task, and returns its closure, if the task is a closure of that finish.
    #[inline]
    pub(super) fn pop_of(&self, number: usize, finish: *const FinishHeader) -> Option<Ref> {
        let own = &self.own_queues(number).own;
        if own.newest()?[1] != finish as usize {
            return None;
        }
        let pair = own.pop()?;
        if pair[1] == finish as usize {
            return Some(Ref(pair[0] as *mut _));
        }
        // A thief has taken the examined pair; the popped pair is an older one.
        own.push(pair);
        None
    }

    /// Number of tasks in this thread's queue.
    pub(super) fn own_length(&self, number: usize) -> usize {
        self.own_queues(number).own.len()
    }

    /// Whether this thread's queue is empty.
    pub(super) fn own_is_empty(&self, number: usize) -> bool {
        self.own_queues(number).own.is_empty()
    }

    /// Notes that the calling worker begins to search.
    pub(super) fn begin_search(&self) {
        self.sleep.begin_search();
    }

    /// Notes that the calling worker has found a task. Wakes a worker if there are more tasks and no other
    /// worker searches.
    pub(super) fn end_search(&self) {
        if self.sleep.end_search() && !self.is_empty() {
            self.sleep.notify();
        }
    }

    /// Finds a task: this worker's newest, a parallel loop, an injected one, another worker's oldest, or a
    /// deferred one, in this order. The only task of another queue is stolen only at the second search, since
    /// its owner may be about to take it.
    pub(super) fn find(&self, number: usize, search: &mut SearchState) -> Option<Task> {
        if let Some(task) = self.pop(number) {
            return Some(task);
        }
        if let Some(index) = self.loops.find_open() {
            return Some(Task::Help(index));
        }
        let before = search.alone.take();
        search.start = search.start.wrapping_add(1);
        loop {
            let mut again = false;
            match self.injector.steal() {
                Steal::Success(task) => {
                    self.count_taken(number);
                    match self.admit_or_defer(number, task) {
                        None => again = true,
                        task => return task,
                    }
                }
                Steal::Retry => again = true,
                Steal::Empty => {}
            }
            let count = self.count();
            for distance in 0..count {
                let other = (number + search.start + distance) % count;
                if other == number {
                    continue;
                }
                let known = before.filter(|(queue, _)| *queue == other).map(|(_, pair)| pair);
                let Some(victim) = self.slot(other) else { continue };
                match victim.own.steal(&self.own_queues(number).own, known) {
                    Stolen::Pair(pair) => {
                        self.own_queues(number).count_task();
                        // SAFETY: taken from the queue.
                        match self.admit_or_defer(number, unsafe { Task::from_pair(pair) }) {
                            None => again = true,
                            task => return task,
                        }
                    }
                    Stolen::Alone(pair) => search.alone = Some((other, pair)),
                    Stolen::Retry => again = true,
                    Stolen::Empty => {}
                }
            }
            if !again {
                return self.find_deferred(number);
            }
        }
    }

    /// Whether the injector is empty.
    pub(super) fn nothing_injected(&self) -> bool {
        self.injector.is_empty()
    }

    /// Whether no queue holds a task.
    pub(super) fn is_empty(&self) -> bool {
        self.nothing_ready() && self.nothing_deferred()
    }

    fn nothing_deferred(&self) -> bool {
        self.slots().all(|slot| slot.deferred.is_empty())
    }

    /// Notes that the caller has taken a task from the injector.
    fn count_taken(&self, number: usize) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.own_queues(number).count_task();
    }

    /// Whether no worker sleeps or searches.
    pub(super) fn all_active(&self) -> bool {
        self.sleep.all_active()
    }

    /// Whether no queue holds a task, except deferred activities.
    pub(super) fn nothing_ready(&self) -> bool {
        self.loops.find_open().is_none()
            && self.injector.is_empty()
            && self.slots().all(|slot| slot.own.is_empty())
    }

    /// Blocks the calling worker, which searches, until it is woken or times out: after `quiet` if all queues
    /// are empty, after `busy` if not. Calls `all_idle` when every worker sleeps. It may sleep on messages:
    /// see [`Sleep::wait`].
    pub(super) fn wait(&self, worker: &Worker, quiet: Duration, busy: Duration, all_idle: impl FnOnce()) {
        let time = || if self.is_empty() { quiet } else { busy };
        let reads = self.sleep.wait(worker.number, poll::waiter(), time, all_idle);
        worker.reads_messages.set(reads);
    }

    /// The calling worker reads what comes from other places when that wakes it, unless another one does.
    pub(super) fn begin_reading(&self, worker: &Worker, waiter: &dyn Waiter) {
        worker.reads_messages.set(self.sleep.begin_reading(worker.number, waiter));
    }

    /// The calling worker does not any more.
    pub(super) fn end_reading(&self, worker: &Worker, waiter: &dyn Waiter) {
        if worker.reads_messages.take() {
            self.sleep.end_reading(waiter);
        }
    }

    /// Blocks the calling thread `number`, which searches and has an activity, for at most `time`; not at all
    /// if a queue holds a task.
    pub(super) fn park_briefly(&self, number: usize, time: Duration) {
        self.sleep.wait_briefly(number, || if self.is_empty() { time } else { Duration::ZERO });
    }

    /// Takes an injected task, or this thread's newest.
    pub(super) fn find_injected(&self, number: usize) -> Option<Task> {
        loop {
            match self.injector.steal() {
                Steal::Success(task) => {
                    self.count_taken(number);
                    if let Some(task) = self.admit_or_defer(number, task) {
                        return Some(task);
                    }
                }
                Steal::Retry => {}
                Steal::Empty => return self.pop(number),
            }
        }
    }

    /// Whether at one moment every worker sleeps, all queues are empty, and `and` is true.
    pub(super) fn is_idle(&self, and: impl FnOnce() -> bool) -> bool {
        self.sleep.all_sleeping(|| and() && self.is_empty())
    }

    /// Visits each word in the deques, as roots of a collection; all threads are stopped.
    pub(super) fn each_word(&self, visit: &mut dyn FnMut(usize)) {
        for slot in self.slots() {
            slot.own.each_word(visit);
            slot.deferred.each_word(visit);
        }
    }
}
