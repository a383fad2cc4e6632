//! Compensating threads: extra threads that the pool starts while its workers are blocked, so that every
//! ready task runs within a bounded time. Java's `ForkJoinPool` compensates for blocked workers too, but only
//! if they announce it (`ManagedBlocker`); here a monitor detects them.
//!
//! While a worker searches or sleeps, no monitor is needed: that worker finds every ready task. While all
//! workers are active, the monitor checks the queues every `TICK`. For a task that has waited too long it
//! summons a compensating thread. This thread runs that task, the tasks that it spawns, and injected tasks,
//! but no other work of the pool: it must not act as one worker more than there are CPUs. A compensating
//! thread without work rests, is reused, and ends after `REST`.
//!
//! An old task alone does not prove that its queue's owner is blocked: in a recursion the owner runs its
//! oldest activity last. But then the owner's end of the deque changes all the time. If that end stands still
//! although the owner has used CPU time, or sleeps in a system call, the owner is blocked. An owner that
//! waits for a CPU is not blocked: more threads would not help it.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::heap;
use crate::scheduler::admission;
use crate::scheduler::queues::{MAX_EXTRA_WORKERS, Queues, Snapshot};

/// Time between two checks of the monitor.
const TICK: Duration = Duration::from_millis(10);
/// The monitor sleeps until it is woken after this many checks in a row have found an idle worker.
const CALM_TICKS: u32 = 20;
/// An owner is blocked if it has used this much CPU time while its end of the queue stood still.
const BLOCKED_CPU_TIME: Duration = Duration::from_millis(1);
/// Maximum wait of an injected or deferred task, and of an activity that is ready to resume.
const MAX_WAIT: Duration = Duration::from_millis(20);
/// Maximum wait of an activity that has not begun, while the owner of its queue takes other tasks. It doubles
/// with each compensating thread that has work.
const MAX_WAIT_BEHIND_OTHERS: Duration = Duration::from_millis(100);
/// A compensating thread ends after it has rested for this time.
const REST: Duration = Duration::from_secs(1);

/// The compensating threads of the pool, and the monitor.
pub(super) struct Compensation {
    /// Number of workers. The numbers of the compensating threads follow those of the workers.
    workers: usize,
    /// Lower half: number of compensating threads that have work or search for it. Upper half: number of
    /// times that one was summoned.
    running: AtomicU64,
    /// Number of compensating threads.
    alive: AtomicUsize,
    threads: Mutex<ExtraThreads>,
    /// Wakes each compensating thread from its rest.
    wake: Vec<Condvar>,
    /// Whether the monitor sleeps until it is woken.
    monitor_sleeps: AtomicBool,
    monitor: Mutex<MonitorState>,
    wake_monitor: Condvar,
}

#[derive(Default)]
struct ExtraThreads {
    /// Whether each number is in use.
    used: Vec<bool>,
    /// Threads that rest, as a stack: the last one is woken first.
    resting: Vec<usize>,
    /// Whether the lack of further threads was reported.
    complained: bool,
}

#[derive(PartialEq, Eq)]
enum MonitorState {
    NotStarted,
    Runs,
}

/// Increment of [`Compensation::running`]: one more thread runs, one more was summoned.
const SUMMONED: u64 = (1 << 32) + 1;

impl Compensation {
    /// Makes the compensation of a pool with this number of workers.
    pub(super) fn new(workers: usize) -> Compensation {
        Compensation {
            workers,
            running: AtomicU64::new(0),
            alive: AtomicUsize::new(0),
            threads: Mutex::default(),
            wake: (0..MAX_EXTRA_WORKERS).map(|_| Condvar::new()).collect(),
            monitor_sleeps: AtomicBool::new(true),
            monitor: Mutex::new(MonitorState::NotStarted),
            wake_monitor: Condvar::new(),
        }
    }

    /// Whether no compensating thread has work, and none was summoned while `and` was evaluated to true.
    pub(super) fn rests(&self, and: impl FnOnce() -> bool) -> bool {
        let running = self.running.load(Ordering::SeqCst);
        running as u32 == 0 && and() && self.running.load(Ordering::SeqCst) == running
    }

    /// Whether compensating threads exist: a task has waited too long recently.
    pub(super) fn is_needed(&self) -> bool {
        self.alive.load(Ordering::Relaxed) > 0
    }

    /// Starts or wakes the monitor: all workers have work from now on.
    #[inline]
    pub(super) fn watch(&'static self, queues: &'static Queues, start: fn(usize) -> std::io::Result<()>) {
        if self.monitor_sleeps.load(Ordering::SeqCst) {
            self.wake_monitor(queues, start);
        }
    }

    #[cold]
    fn wake_monitor(&'static self, queues: &'static Queues, start: fn(usize) -> std::io::Result<()>) {
        let mut state = self.monitor.lock();
        self.monitor_sleeps.store(false, Ordering::SeqCst);
        self.wake_monitor.notify_one();
        if *state == MonitorState::NotStarted {
            *state = MonitorState::Runs;
            let monitor = move || Monitor::new(self, queues, start).run();
            let spawned = std::thread::Builder::new().name("apg-monitor".into()).spawn(monitor);
            // Activities that do not spin make progress without it.
            if let Err(error) = spawned {
                report!("apg: cannot start the thread that looks after activities that wait to run: {error}");
                report!("  while all threads are busy with others, they wait until one of these ends");
            }
        }
    }

    /// Wakes a compensating thread that rests, or starts one.
    fn summon(&self, start: fn(usize) -> std::io::Result<()>) {
        let mut threads = self.threads.lock();
        if self.wake_resting(&mut threads) {
            return;
        }
        let free = threads.used.iter().position(|used| !used).unwrap_or(threads.used.len());
        if free == MAX_EXTRA_WORKERS {
            self.complain(&mut threads, &format!("{MAX_EXTRA_WORKERS} threads more are the limit"));
            return;
        }
        self.running.fetch_add(SUMMONED, Ordering::SeqCst);
        match start(self.workers + free) {
            Ok(()) => {
                self.alive.fetch_add(1, Ordering::SeqCst);
                if free == threads.used.len() {
                    threads.used.push(true);
                } else {
                    threads.used[free] = true;
                }
            }
            Err(error) => {
                self.running.fetch_sub(1, Ordering::SeqCst);
                self.complain(&mut threads, &format!("cannot start one thread more: {error}"));
            }
        }
    }

    /// Wakes a compensating thread that rests, if there is one.
    pub(super) fn summon_resting(&self) {
        self.wake_resting(&mut self.threads.lock());
    }

    fn wake_resting(&self, threads: &mut ExtraThreads) -> bool {
        let next = threads.resting.pop();
        if let Some(number) = next {
            self.running.fetch_add(SUMMONED, Ordering::SeqCst);
            self.wake[number - self.workers].notify_one();
        }
        next.is_some()
    }

    fn complain(&self, threads: &mut ExtraThreads, why: &str) {
        if !std::mem::replace(&mut threads.complained, true) {
            let busy = self.workers + threads.used.iter().filter(|used| **used).count();
            report!(
                "apg: {busy} threads are busy with activities that do not wait while others are ready: {why}"
            );
            report!(
                "  the others run when one of these ends, or waits in `when`, `finish` or a lock instead of in a loop"
            );
        }
    }

    /// Waits until the compensating thread `number`, which has no work, is summoned; false if it must end.
    pub(super) fn rest(&self, number: usize) -> bool {
        let mut threads = self.threads.lock();
        threads.resting.push(number);
        self.running.fetch_sub(1, Ordering::SeqCst);
        let until = Instant::now() + REST;
        loop {
            let bell = &self.wake[number - self.workers];
            let wait =
                |threads: &mut MutexGuard<'_, ExtraThreads>| bell.wait_until(threads, until).timed_out();
            let is_over = heap::while_parked(|| wait(&mut threads));
            if !threads.resting.contains(&number) {
                return true;
            }
            if is_over {
                threads.resting.retain(|it| *it != number);
                return false;
            }
        }
    }

    /// Notes that the compensating thread `number` has ended.
    pub(super) fn has_ended(&self, number: usize) {
        let mut threads = self.threads.lock();
        threads.used[number - self.workers] = false;
        while threads.used.last() == Some(&false) {
            threads.used.pop();
        }
        self.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The monitor's record of a queue and its owner.
#[derive(Clone, Default)]
struct Watched {
    seen: Snapshot,
    /// When the oldest task became the oldest.
    since: Option<Instant>,
    /// CPU time of the owner when its end of the queue last changed.
    cpu: Option<Duration>,
    /// Whether the owner slept in a system call at the last check.
    blocked: bool,
}

/// The monitor thread, which detects tasks that wait too long.
struct Monitor {
    compensation: &'static Compensation,
    queues: &'static Queues,
    start: fn(usize) -> std::io::Result<()>,
    watched: Vec<Watched>,
    /// Number of injected tasks taken so far, number of deferred tasks, and the time since which both are the
    /// same.
    taken: (u64, usize, Option<Instant>),
}

impl Monitor {
    fn new(
        compensation: &'static Compensation,
        queues: &'static Queues,
        start: fn(usize) -> std::io::Result<()>,
    ) -> Monitor {
        Monitor { compensation, queues, start, watched: Vec::new(), taken: (0, 0, None) }
    }

    fn run(mut self) -> ! {
        let mut calm = 0;
        loop {
            std::thread::sleep(TICK);
            if self.queues.all_active() {
                calm = 0;
                self.check();
                continue;
            }
            self.forget();
            calm += 1;
            if calm > CALM_TICKS {
                self.sleep();
                calm = 0;
            }
        }
    }

    /// Sleeps until all threads of the pool have work.
    fn sleep(&self) {
        let mut state = self.compensation.monitor.lock();
        self.compensation.monitor_sleeps.store(true, Ordering::SeqCst);
        // A worker that found a task before this did not wake the monitor.
        fence(Ordering::SeqCst);
        if self.queues.all_active() {
            self.compensation.monitor_sleeps.store(false, Ordering::SeqCst);
        }
        while self.compensation.monitor_sleeps.load(Ordering::SeqCst) {
            self.compensation.wake_monitor.wait(&mut state);
        }
    }

    fn forget(&mut self) {
        self.watched.clear();
        self.taken.2 = None;
    }

    /// Summons a compensating thread if a task has waited too long.
    fn check(&mut self) {
        let now = Instant::now();
        if self.outside_waits(now) {
            self.compensation.summon(self.start);
            return;
        }
        self.watched.resize(self.queues.count(), Watched::default());
        let running = self.compensation.running.load(Ordering::Relaxed) as u32;
        let behind = MAX_WAIT_BEHIND_OTHERS * 2_u32.saturating_pow(running.min(16));
        let mut oldest = None;
        for (number, watched) in self.watched.iter_mut().enumerate() {
            let Some(waited) = watched.check(self.queues, number, now, behind) else { continue };
            if oldest.is_none_or(|(_, most)| waited > most) {
                oldest = Some((number, waited));
            }
        }
        if let Some((number, _)) = oldest
            && self.queues.reserve_for_extra(number)
        {
            self.compensation.summon(self.start);
        }
    }

    /// Whether an injected or a deferred task has waited too long.
    fn outside_waits(&mut self, now: Instant) -> bool {
        let seen = (self.queues.taken(), self.queues.count_deferred());
        let waits = !self.queues.nothing_injected() || seen.1 > 0;
        if !waits || seen != (self.taken.0, self.taken.1) || self.taken.2.is_none() {
            self.taken = (seen.0, seen.1, waits.then_some(now));
            return false;
        }
        let is_over = self.taken.2.is_some_and(|since| now - since >= MAX_WAIT);
        if is_over {
            admission::admit_batch();
            self.taken.2 = Some(now);
        }
        is_over
    }
}

impl Watched {
    /// The time that the oldest task of the queue has waited, if that is too long.
    fn check(&mut self, queues: &Queues, number: usize, now: Instant, behind: Duration) -> Option<Duration> {
        let seen = queues.snapshot(number)?;
        let before = std::mem::replace(&mut self.seen, seen);
        if seen.is_empty {
            (self.since, self.cpu) = (None, None);
            return None;
        }
        if seen.top != before.top || self.since.is_none() {
            self.since = Some(now);
        }
        if seen.recent != before.recent {
            self.cpu = None;
        }
        let waited = now - self.since?;
        let most = match () {
            () if self.is_blocked_owner(queues, number) => Duration::ZERO,
            () if seen.is_resumed => MAX_WAIT,
            () => behind,
        };
        (waited >= most).then_some(waited)
    }

    /// Whether the owner has taken no task although it used CPU time, or slept in a system call.
    fn is_blocked_owner(&mut self, queues: &Queues, number: usize) -> bool {
        let Some(cpu) = queues.cpu_time(number) else { return false };
        let began = *self.cpu.get_or_insert(cpu);
        let ran = cpu.saturating_sub(began);
        ran >= BLOCKED_CPU_TIME || ran.is_zero() && cpu > Duration::ZERO && self.is_blocked(queues, number)
    }

    /// Whether the owner sleeps in a system call, now and at the last check.
    fn is_blocked(&mut self, queues: &Queues, number: usize) -> bool {
        let before = self.blocked;
        self.blocked = !is_runnable(queues.thread(number));
        before && self.blocked
    }
}

/// Whether a thread of this process runs or waits for a CPU, according to `/proc`.
fn is_runnable(thread: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/self/task/{thread}/stat")).unwrap_or_default();
    // The thread id, the name in parentheses, the state.
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('R'))
}
