//! Queues of the pool: a deque for each worker, and an injector for tasks from other threads. Idle workers
//! search them in turn: work stealing (Blumofe and Leiserson, *Scheduling Multithreaded Computations by Work
//! Stealing*, JACM 1999).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam_deque::{Injector, Steal};

use crate::heap::Ref;
use crate::scheduler::admission;
use crate::scheduler::deque::{Deque, Pair, Stolen};
use crate::scheduler::sleep::Sleep;
use crate::scheduler::stack_budget::FinishHeader;
use crate::scheduler::task::{Task, is_resume};

/// Compensating threads of a place, at most.
pub const MAX_EXTRA_WORKERS: usize = 1000;

/// What a worker has for itself, though others see it.
struct WorkerQueues {
    own: Deque,
    /// Activities that it has deferred.
    deferred: Deque,
    /// Tasks that it has taken to run: others only read that.
    tasks: AtomicU64,
    /// The system's number of the thread, and of its CPU-time clock; 0 while there is none.
    thread: AtomicI32,
    clock: AtomicI32,
    /// Tasks that compensating threads are to take from here.
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

    /// The owner has taken something to run.
    #[inline]
    fn count_task(&self) {
        self.tasks.store(self.tasks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// What is seen of a thread and its queue ([`crate::scheduler::compensation`]).
#[derive(Clone, Copy, Default)]
pub struct Snapshot {
    pub is_empty: bool,
    /// Index of the oldest task.
    pub top: isize,
    /// That is an activity that continues.
    pub is_resumed: bool,
    /// Changes when the owner takes something, or adds it.
    pub recent: (u64, u64),
}

/// All queues.
pub struct Queues {
    injector: Injector<Task>,
    /// Tasks ever taken from there.
    taken: AtomicU64,
    /// Of the pool's threads.
    own: Vec<WorkerQueues>,
    /// Of compensating threads, whose numbers follow.
    extra: Vec<OnceLock<Box<WorkerQueues>>>,
    /// Number of these that have been used.
    extra_used: AtomicUsize,
    sleep: Sleep,
}

/// What a searching worker remembers from one search to the next.
#[derive(Default)]
pub struct SearchState {
    /// A task that was alone in another's queue.
    alone: Option<(usize, Pair)>,
    /// Where it begins.
    start: usize,
}

impl Queues {
    /// For that many workers.
    pub fn new(threads: usize) -> Queues {
        Queues {
            injector: Injector::new(),
            taken: AtomicU64::new(0),
            own: (0..threads).map(|_| WorkerQueues::new()).collect(),
            extra: (0..MAX_EXTRA_WORKERS).map(|_| OnceLock::new()).collect(),
            extra_used: AtomicUsize::new(0),
            sleep: Sleep::new(threads),
        }
    }

    /// The thread with that number.
    #[inline]
    fn slot(&self, number: usize) -> Option<&WorkerQueues> {
        match self.own.get(number) {
            Some(slot) => Some(slot),
            None => self.extra.get(number - self.own.len())?.get().map(Box::as_ref),
        }
    }

    /// The calling thread's.
    #[inline]
    fn own_queues(&self, number: usize) -> &WorkerQueues {
        self.slot(number).unwrap_or_else(|| unreachable!("made when the thread began"))
    }

    fn slots(&self) -> impl Iterator<Item = &WorkerQueues> {
        (0..self.count()).filter_map(|number| self.slot(number))
    }

    /// How many threads there are or were.
    #[inline]
    pub fn count(&self) -> usize {
        self.own.len() + self.extra_used.load(Ordering::Acquire)
    }

    /// The calling thread has that number from now on.
    pub fn begin_thread(&self, number: usize) {
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

    /// The calling thread has its number no more; its queue is empty.
    pub fn end_thread(&self, number: usize) {
        self.own_queues(number).clock.store(0, Ordering::Relaxed);
    }

    /// The system's number of a thread.
    pub fn thread(&self, number: usize) -> i32 {
        self.slot(number).map_or(0, |slot| slot.thread.load(Ordering::Relaxed))
    }

    /// CPU time of a thread.
    pub fn cpu_time(&self, number: usize) -> Option<Duration> {
        let clock = self.slot(number)?.clock.load(Ordering::Relaxed);
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the clock of a thread that has ended gives an error.
        let is_known = clock != 0 && unsafe { libc::clock_gettime(clock, &mut time) } == 0;
        is_known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
    }

    /// A thread and its queue as they are.
    pub fn snapshot(&self, number: usize) -> Option<Snapshot> {
        let slot = self.slot(number)?;
        let Some((top, oldest, newest)) = slot.own.snapshot() else {
            return Some(Snapshot { is_empty: true, ..Snapshot::default() });
        };
        let recent = (slot.tasks.load(Ordering::Relaxed), newest);
        Some(Snapshot { is_empty: false, top, is_resumed: is_resume(oldest), recent })
    }

    /// Tasks ever taken from the injector.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Number of deferred activities.
    pub fn count_deferred(&self) -> usize {
        self.slots().map(|slot| slot.deferred.len()).sum()
    }

    /// A compensating thread more is to take something of that thread's queue. Whether there is enough for
    /// all that are to.
    pub fn reserve_for_extra(&self, number: usize) -> bool {
        let Some(slot) = self.slot(number) else { return false };
        let one_more = |reserved: usize| (reserved < slot.own.len()).then_some(reserved + 1);
        slot.to_take.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
    }

    /// Work for a compensating thread: its own, what came from elsewhere, what is reserved for it, or what
    /// was deferred.
    pub fn find_for_extra(&self, number: usize) -> Option<Task> {
        loop {
            let task = self.find_injected(number).or_else(|| self.find_reserved());
            match task.or_else(|| self.find_deferred(number))? {
                // The caller of the loop does that itself.
                Task::Help(_) => {}
                task => return Some(task),
            }
        }
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

    /// Adds a task of a thread that has no queue, or that later tasks must not overtake for ever.
    pub fn inject(&self, task: Task) {
        self.injector.push(task);
        self.sleep.notify();
    }

    /// Work of a thread of the pool.
    pub fn push(&self, number: usize, task: Task) {
        self.own_queues(number).own.push(task.into_pair());
        self.notify_if_needed();
    }

    /// An activity that is no more than its closure.
    #[inline]
    pub fn push_closure(&self, number: usize, closure: Ref, finish: *const FinishHeader) {
        self.own_queues(number).own.push([closure.address(), finish as usize]);
        self.notify_if_needed();
    }

    /// Without a fence before it a worker that is just falling asleep may be overlooked: see
    /// [`crate::scheduler::sleep`].
    #[inline]
    fn notify_if_needed(&self) {
        if self.sleep.should_notify() {
            self.sleep.notify();
        }
    }

    /// A worker's own deque, and the idle workers, for generated code.
    pub fn shared(&self, number: usize) -> (*const Deque, *const Sleep) {
        (&raw const self.own_queues(number).own, &raw const self.sleep)
    }

    /// Wakes a sleeping worker, if there is one and no other searches.
    pub fn notify(&self) {
        self.sleep.notify();
    }

    /// This thread's newest task.
    pub fn pop(&self, number: usize) -> Option<Task> {
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

    /// The task, unless it is an activity that is deferred now.
    #[inline]
    fn admit_or_defer(&self, number: usize, task: Task) -> Option<Task> {
        if admission::is_on() && task.is_deferrable() {
            self.own_queues(number).deferred.push(task.into_pair());
            return None;
        }
        Some(task)
    }

    /// A deferred activity that may be started now.
    fn find_deferred(&self, number: usize) -> Option<Task> {
        let own = &self.own_queues(number).deferred;
        if self.nothing_deferred() || !admission::try_admit() {
            return None;
        }
        let take = |other: &Deque| match other.steal(own, None) {
            // It is of no use to its owner.
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

    /// The closure of this thread's newest task, if that is an activity of the finish and no more than its
    /// closure.
    #[inline]
    pub fn pop_of(&self, number: usize, finish: *const FinishHeader) -> Option<Ref> {
        let own = &self.own_queues(number).own;
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
        self.own_queues(number).own.len()
    }

    /// Whether this thread's queue is empty.
    pub fn own_is_empty(&self, number: usize) -> bool {
        self.own_queues(number).own.is_empty()
    }

    /// The calling worker begins to search.
    pub fn begin_search(&self) {
        self.sleep.begin_search();
    }

    /// The calling worker has found a task: if there are more, and no other worker searches, one is woken.
    pub fn end_search(&self) {
        if self.sleep.end_search() && !self.is_empty() {
            self.sleep.notify();
        }
    }

    /// A task: this worker's newest, then an injected one, then others' oldest. A task that is alone in a
    /// queue is taken at the second search, for its owner may want it at once. At last a deferred one.
    pub fn find(&self, number: usize, search: &mut SearchState) -> Option<Task> {
        if let Some(task) = self.pop(number) {
            return Some(task);
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

    /// No work came from elsewhere.
    pub fn nothing_injected(&self) -> bool {
        self.injector.is_empty()
    }

    /// Whether there is no work.
    pub fn is_empty(&self) -> bool {
        self.nothing_ready() && self.nothing_deferred()
    }

    fn nothing_deferred(&self) -> bool {
        self.slots().all(|slot| slot.deferred.is_empty())
    }

    /// The caller has taken something that came from elsewhere.
    fn count_taken(&self, number: usize) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.own_queues(number).count_task();
    }

    /// Whether no thread of the pool waits, or looks for work.
    pub fn all_active(&self) -> bool {
        self.sleep.all_active()
    }

    /// Whether there is no task but deferred ones.
    pub fn nothing_ready(&self) -> bool {
        self.injector.is_empty() && self.slots().all(|slot| slot.own.is_empty())
    }

    /// The caller, thread `number`, who looks for work, waits until it is woken, or that long: at most
    /// `quiet` if there is none, `busy` if there is some that it did not get. `all_idle` is called when every
    /// thread waits.
    pub fn wait(&self, number: usize, quiet: Duration, busy: Duration, all_idle: impl FnOnce()) {
        let time = || if self.is_empty() { quiet } else { busy };
        self.sleep.wait(number, time, all_idle);
    }

    /// The caller, thread `number`, who looks for work and has an activity, sleeps for so long at most; not
    /// at all if there is some.
    pub fn park_briefly(&self, number: usize, time: Duration) {
        self.sleep.wait_briefly(number, || if self.is_empty() { time } else { Duration::ZERO });
    }

    /// Work from outside the pool, or of this thread.
    pub fn find_injected(&self, number: usize) -> Option<Task> {
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

    /// Whether every thread waits, nothing is queued, and `and` is true, all that at the same moment.
    pub fn is_idle(&self, and: impl FnOnce() -> bool) -> bool {
        self.sleep.all_sleeping(|| and() && self.is_empty())
    }

    /// Shows the collector what is in the threads' queues; all threads are stopped.
    pub fn each_word(&self, visit: &mut dyn FnMut(usize)) {
        for slot in self.slots() {
            slot.own.each_word(visit);
            slot.deferred.each_word(visit);
        }
    }
}
