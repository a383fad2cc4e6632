//! The threads that run activities.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::apgas::finish::Finish;
use crate::base::output::end_process;
use crate::base::signals::{self, FaultHooks};
use crate::device::Patience;
use crate::heap::Ref;
use crate::scheduler::admission;
use crate::scheduler::compensation::{Compensation, MAX_EXTRA_WORKERS};
use crate::scheduler::deque::Deque;
use crate::scheduler::fiber;
use crate::scheduler::queues::{Look, Queues, Task};
use crate::scheduler::sleep::Sleepers;

/// The pool of this process.
struct Pool {
    queues: Queues,
    threads: usize,
    compensation: Compensation,
}

/// What a thread of the pool has for itself.
struct Own {
    number: usize,
    /// It deals with messages, and runs what they bring.
    attends: Cell<bool>,
}

static POOL: OnceLock<Pool> = OnceLock::new();
/// Reasons outside the pool why a waiting activity may go on: timers, devices, other places.
static EXTERNAL: AtomicUsize = AtomicUsize::new(0);
/// Activities that wait.
static BLOCKED: AtomicUsize = AtomicUsize::new(0);
/// Who is about to add work from outside the pool: see [`expect_work`].
static EXPECTED: AtomicUsize = AtomicUsize::new(0);
/// A thread looks for what is expected.
static WATCHED: AtomicBool = AtomicBool::new(false);
/// What to do when all activities wait for ever.
static ON_DEADLOCK: OnceLock<fn()> = OnceLock::new();
static REPORTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static OWN: Cell<Option<&'static Own>> = const { Cell::new(None) };
}

/// How many threads a place has if nobody says: one for each processor. An activity that wakes does so in a thread that has nothing to do,
/// so one would not be enough for a program that asks again and again whether another activity, which sleeps now and then, is done.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).max(2)
}

/// Starts the pool with that many threads (0: as many as there are by default); without effect when it runs already.
pub fn start(threads: usize) {
    crate::heap::add_queues(each_queued_word);
    signals::set_fault_hooks(FaultHooks {
        activity_stack: super::current_stack,
        abandon_thread: crate::heap::abandon_thread,
    });
    POOL.get_or_init(|| {
        let threads = match threads {
            0 => default_threads(),
            threads => threads,
        };
        let queues = Queues::new(threads);
        for number in 0..threads {
            if let Err(error) = start_worker(number) {
                remark!(
                    "apg: cannot start thread {number} of {threads}: {error}; ask for fewer with --threads, or raise the limit on \
                     processes (`ulimit -u`, a container's)"
                );
                end_process(1);
            }
        }
        Pool { queues, threads, compensation: Compensation::new(threads) }
    });
    crate::device::before_ends(expect_work);
}

/// Starts a thread of the pool, or a compensating one.
fn start_worker(number: usize) -> std::io::Result<()> {
    let name = format!("apg-worker-{number}");
    std::thread::Builder::new().name(name).spawn(move || work(number)).map(drop)
}

/// A thread of the pool, or a compensating one: that may end.
fn work(number: usize) {
    let own = Box::into_raw(Box::new(Own { number, attends: Cell::new(false) }));
    // SAFETY: it lives as long as the thread runs activities.
    OWN.with(|cell| cell.set(Some(unsafe { &*own })));
    signals::prepare_thread();
    let pool = pool();
    pool.queues.begin_thread(number);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fiber::drive));
    if outcome.is_err() {
        remark!("apg: internal error in the runtime; this is a defect of apg, please report it");
        end_process(70);
    }
    OWN.with(|cell| cell.set(None));
    // SAFETY: made above; nobody refers to it any more.
    drop(unsafe { Box::from_raw(own) });
    signals::release_thread();
    pool.queues.end_thread(number);
    pool.compensation.has_ended(number);
}

fn pool() -> &'static Pool {
    POOL.get_or_init(|| unreachable!("the pool is started before anything runs"))
}

/// Not inlined: an activity may go on in another thread.
#[inline(never)]
fn own() -> Option<&'static Own> {
    OWN.with(Cell::get)
}

/// Messages of other places, which a thread without work may deal with.
pub trait Inbox: Send + Sync {
    /// Somebody will look again and again from now on, or not any more.
    fn attend(&self, begins: bool);
    /// Deals with what has come; whether there was anything.
    fn look(&self) -> bool;
    /// Who alone knew that somebody looks has answered, and does not rely on it any more. Whether nobody does.
    fn is_answered(&self, by: u32) -> bool;
}

/// What it is, and how long a thread looks.
static INBOX: OnceLock<(&'static dyn Inbox, Duration)> = OnceLock::new();
/// A thread attends to the inbox.
static ATTENDED: AtomicBool = AtomicBool::new(false);

/// From now on a thread without work looks there for a moment before it sleeps. `processes` of this machine do so.
pub fn look_at(inbox: &'static dyn Inbox, processes: usize) {
    /// About as long as it takes to wake a thread.
    const MOMENT: Duration = Duration::from_micros(50);
    /// With fewer processors than processes, whoever looks may keep the sender from sending.
    const SHORT: Duration = Duration::from_micros(2);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let _ = INBOX.set((inbox, if processes <= processors { MOMENT } else { SHORT }));
}

/// Who relies on a thread that looks for messages.
#[derive(Clone, Copy)]
enum Known {
    /// Nobody.
    Not,
    /// The place that was asked, until it has answered.
    ToAsked(u32),
    /// All places.
    ToAll,
}

/// A thread that looks for messages, until it is dropped.
pub struct Attention {
    own: &'static Own,
    inbox: &'static dyn Inbox,
    known: Known,
    moment: Duration,
    begun: Option<Instant>,
    turns: u32,
}

impl Attention {
    /// `None` if nobody needs to look, or somebody does.
    fn begin(own: &'static Own) -> Option<Attention> {
        let (inbox, moment) = *INBOX.get()?;
        if ATTENDED.swap(true, Ordering::Acquire) {
            return None;
        }
        Some(Attention { own, inbox, known: Known::Not, moment, begun: None, turns: 0 })
    }

    /// From now on all places rely on it.
    fn announce(&mut self) {
        if !matches!(self.known, Known::ToAll) {
            self.known = Known::ToAll;
            self.inbox.attend(true);
        }
    }

    /// The place that was asked knows that the caller will look for its answer.
    pub fn is_promised_to(&mut self, place: u32) {
        self.known = Known::ToAsked(place);
    }

    /// The answer has come.
    fn is_answered(&mut self) {
        if let Known::ToAsked(place) = self.known
            && self.inbox.is_answered(place)
        {
            self.known = Known::Not;
        }
    }

    /// Deals with what has come; whether there was anything. What it brings is for the caller.
    fn look(&mut self) -> bool {
        self.own.attends.set(true);
        let came = self.inbox.look();
        self.own.attends.set(false);
        if came {
            (self.begun, self.turns) = (None, 0);
        }
        came
    }

    /// Nothing has come. Whether it is time to see what else there is: now and then.
    fn has_looked(&mut self) -> bool {
        /// The first looks follow each other closely: most answers come within a microsecond.
        const CLOSE: u32 = 64;
        if self.turns == CLOSE {
            // It takes longer than an answer that is on its way.
            self.announce();
        }
        if self.turns > CLOSE {
            std::hint::spin_loop();
        }
        self.turns = self.turns.wrapping_add(1);
        self.turns.is_multiple_of(16)
    }

    /// Whether it is time to do something else; asked after some looks.
    fn is_over(&mut self) -> bool {
        if !self.turns.is_multiple_of(64) {
            return false;
        }
        match self.begun {
            Some(begun) => begun.elapsed() > self.moment,
            None => {
                self.begun = Some(Instant::now());
                false
            }
        }
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        if !matches!(self.known, Known::Not) {
            self.inbox.attend(false);
            // What came before the other threads heard of it.
            self.look();
        }
        ATTENDED.store(false, Ordering::Release);
    }
}

/// Deals with messages for a moment, until there is work. What they bring the caller runs itself: it looks for work, so that nobody is woken.
/// `None` if nobody needs to.
fn attend(own: &'static Own, look: &mut Look) -> Option<Option<Task>> {
    let mut attention = Attention::begin(own)?;
    attention.announce();
    let mut found = pool().queues.find(own.number, look);
    while found.is_none() {
        if attention.look() {
            found = pool().queues.find(own.number, look);
        } else if attention.has_looked() {
            found = pool().queues.find(own.number, look);
            if attention.is_over() {
                break;
            }
        }
    }
    drop(attention);
    Some(found.or_else(|| pool().queues.find(own.number, look)))
}

/// The right to deal with messages in the place of the caller's activity, which is about to wait, if there is nothing else to do.
pub fn begin_to_attend() -> Option<Attention> {
    let own = own()?;
    let may = pool().queues.own_is_empty(own.number) && !crate::base::sanitizer::watches_threads();
    may.then(|| Attention::begin(own))?
}

/// Deals with messages until `done`: the activity that waits need not leave its thread. Whether it is done: if not, there is something else to
/// do, or it takes longer.
pub fn attend_until(mut attention: Attention, done: impl Fn() -> bool) -> bool {
    let (own, queues) = (attention.own, &pool().queues);
    if matches!(attention.known, Known::Not) {
        attention.announce();
    }
    while !done() {
        if attention.look() {
            if !queues.own_is_empty(own.number) {
                break;
            }
        } else if attention.has_looked() && (!queues.nothing_ready() || attention.is_over()) {
            break;
        }
    }
    if done() {
        attention.is_answered();
    }
    drop(attention);
    if !done() {
        return false;
    }
    if !queues.own_is_empty(own.number) {
        // The caller does not come to it.
        queues.notify();
    }
    true
}

/// Whether the caller deals with messages in a thread of the pool, which has nothing else to do.
pub fn attends() -> bool {
    own().is_some_and(|own| own.attends.get())
}

/// Looks around for a moment.
fn look_around(own: &Own, look: &mut Look) -> Option<Task> {
    /// The first looks follow each other closely; between the last ones other threads may run.
    const CLOSE: u32 = 6;
    const LOOKS: u32 = 10;
    (0..LOOKS).find_map(|turn| {
        let found = pool().queues.find(own.number, look);
        match turn {
            _ if found.is_some() => {}
            ..CLOSE => (0..4 << turn).for_each(|_| std::hint::spin_loop()),
            _ => std::thread::yield_now(),
        }
        found
    })
}

/// Somebody outside the pool is about to add work, or has done so: meanwhile one thread without work looks for it instead of sleeping, since
/// waking it then would take longer than all that is left to wait for.
pub(super) fn expect_work(begins: bool) {
    if begins {
        EXPECTED.fetch_add(1, Ordering::SeqCst);
        wake_worker();
    } else {
        EXPECTED.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Looks for work as long as some is expected, unless another thread does: all the time for what comes from outside, now and then for that of
/// other threads, who may want it at once themselves.
fn watch(own: &Own, look: &mut Look) -> Option<Task> {
    /// Looks until other threads may run between two.
    const CLOSE: u32 = 64;
    /// Looks from one for all work to the next.
    const APART: u32 = 32;
    if EXPECTED.load(Ordering::SeqCst) == 0 || WATCHED.swap(true, Ordering::Acquire) {
        return None;
    }
    let (queues, mut found, mut turn) = (&pool().queues, None, 0_u32);
    while found.is_none() && EXPECTED.load(Ordering::SeqCst) > 0 {
        match turn {
            ..CLOSE => std::hint::spin_loop(),
            _ => std::thread::yield_now(),
        }
        turn = if turn == u32::MAX { CLOSE } else { turn + 1 };
        found = match turn % APART {
            0 => queues.find(own.number, look),
            _ => queues.find_injected(own.number),
        };
    }
    WATCHED.store(false, Ordering::Release);
    // Whoever has added work may have ceased to be expected just now.
    found.or_else(|| queues.find(own.number, look))
}

/// Adds work: to this thread's own queue if it has one.
pub fn push(task: Task) {
    match own() {
        Some(own) => pool().queues.push(own.number, task),
        None => pool().queues.inject(task),
    }
}

/// An activity may go on. With compensating threads, the caller may be one that does not come to its queue
/// soon.
pub fn push_resumed(task: Task) {
    let pool = pool();
    if !pool.compensation.is_needed() {
        return push(task);
    }
    pool.queues.inject(task);
    call_extra();
}

/// Work has come from outside: a compensating thread that rests takes it if all others are busy.
pub fn call_extra() {
    let pool = pool();
    if pool.compensation.is_needed() && pool.queues.all_busy() {
        pool.compensation.summon_resting();
    }
}

/// Adds work behind all other work. Of a message that a thread without work has dealt with, it is that thread's.
pub fn push_last(task: Task) {
    let queues = &pool().queues;
    match own() {
        Some(own) if own.attends.get() && queues.own_is_empty(own.number) => queues.push(own.number, task),
        _ => queues.inject(task),
    }
}

/// Wakes a waiting thread, if there is one and no other looks around: there is more work.
pub fn wake_worker() {
    pool().queues.notify();
}

/// The queue of the caller's thread, and the threads without work; null outside of the pool.
pub fn queue() -> (*const Deque, *const Sleepers) {
    match own() {
        Some(own) => pool().queues.shared(own.number),
        None => (std::ptr::null(), std::ptr::null()),
    }
}

/// Adds an activity that is no more than its closure to the queue of the caller's thread.
#[inline]
pub fn push_closure(worker: usize, closure: Ref, finish: *const Finish) {
    pool().queues.push_closure(worker, closure, finish);
}

/// The closure of the caller's thread's newest task, if that is an activity of the finish.
#[inline]
pub fn pop_own_of(worker: usize, finish: *const Finish) -> Option<Ref> {
    pool().queues.pop_of(worker, finish)
}

/// The caller's thread would have nothing to do if the caller suspended itself.
pub fn nothing_else_to_do() -> bool {
    let queues = &pool().queues;
    own().is_some_and(|own| queues.own_is_empty(own.number) && queues.nothing_injected())
}

/// How an activity waits for a device in its thread.
pub const PATIENCE: Patience = Patience { worthwhile: nothing_else_to_do, doze: Some(doze) };

/// The caller, an activity, keeps its thread and sleeps in it for that long, or until there is work that no thread without an activity
/// takes. Whether there is none.
fn doze(time: Duration) -> bool {
    let queues = &pool().queues;
    let is_free = |own: &&Own| own.number < pool().threads && queues.is_empty();
    let Some(own) = own().filter(is_free) else { return false };
    queues.begin_to_look();
    queues.nap(own.number, time);
    has_found();
    queues.is_empty()
}

/// The newest task of the caller's thread.
pub fn own_task(worker: usize) -> Option<Task> {
    pool().queues.pop(worker)
}

/// The caller, who has looked for work, has some: if it was the last one that looked, the monitor does so
/// from now on.
fn has_found() {
    let pool = pool();
    pool.queues.has_found();
    if pool.queues.all_busy() {
        pool.compensation.watch(&pool.queues, start_worker);
    }
}

/// A task for this compensating thread, which has none; waits for one. `None` if it is to end.
fn next_extra_task(number: usize) -> Option<Task> {
    let pool = pool();
    loop {
        let found = pool.queues.find_for_extra(number);
        if found.is_some() || !pool.compensation.rest(number) {
            return found;
        }
    }
}

/// A task for this thread, which has none; waits for one. `None` if the thread is to end.
pub fn next_task() -> Option<Task> {
    /// At first, and at most: work that was overlooked (see [`Queues::push`]) is found soon.
    const QUIET: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));
    /// When there is work that its owners take before anybody else gets it: at first, and at most.
    const BUSY: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(2));
    let own = own().unwrap_or_else(|| unreachable!("only threads of the pool look for work"));
    let queues = &pool().queues;
    if own.number >= pool().threads {
        return next_extra_task(own.number);
    }
    queues.begin_to_look();
    let (mut look, mut quiet, mut busy) = (Look::default(), QUIET.0, BUSY.0);
    loop {
        let found = attend(own, &mut look).unwrap_or_else(|| look_around(own, &mut look));
        let is_expected = found.is_none();
        if let Some(task) = found.or_else(|| watch(own, &mut look)) {
            has_found();
            if is_expected && EXPECTED.load(Ordering::SeqCst) > 1 {
                // Another thread looks for what comes next.
                queues.notify();
            }
            return Some(task);
        }
        queues.wait(own.number, quiet, busy, look_for_deadlock);
        admission::allow_more();
        (quiet, busy) = (QUIET.1.min(quiet * 5), BUSY.1.min(busy * 2));
    }
}

/// Shows the collector what the threads' queues refer to; all threads are stopped.
fn each_queued_word(visit: &mut dyn FnMut(usize)) {
    if let Some(pool) = POOL.get() {
        pool.queues.each_word(visit);
    }
}

/// Number of threads.
pub fn worker_count() -> usize {
    POOL.get().map_or(0, |pool| pool.threads)
}

/// The most threads that there can be: those of the pool, and compensating ones.
pub fn max_worker_count() -> usize {
    worker_count() + MAX_EXTRA_WORKERS
}

/// How many tasks are in the queue of the calling thread; 0 outside of the pool.
pub fn queue_length() -> usize {
    own().map_or(0, |own| pool().queues.own_length(own.number))
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
        if let Some(pool) = POOL.get().filter(|pool| last && pool.queues.idle(|| true)) {
            pool.queues.notify();
        }
    }
}

/// From now on, calls `report` when all activities wait for each other.
pub fn check_for_deadlock(report: fn()) {
    let _ = ON_DEADLOCK.set(report);
}

/// Whether nothing here can go on by itself: all threads sleep, and nothing outside the pool will wake one, but for other places.
pub fn is_quiescent() -> bool {
    is_quiescent_and(|| true)
}

/// As above, with `and` true at the same moment.
fn is_quiescent_and(and: impl FnOnce() -> bool) -> bool {
    // In this order: what is outside adds work before it has come to its end, and only a thread that is awake calls for more of it.
    let outside = || EXTERNAL.load(Ordering::SeqCst) == 0;
    let idle = |pool: &Pool| pool.compensation.rests(|| pool.queues.idle(|| outside() && and()));
    POOL.get().is_some_and(idle)
}

/// Called by the last thread that finds nothing to do.
fn look_for_deadlock() {
    let Some(report) = ON_DEADLOCK.get() else { return };
    // What waited before all slept may have gone on, and the program may have nothing to do.
    if is_quiescent_and(|| BLOCKED.load(Ordering::SeqCst) > 0) && !REPORTED.swap(true, Ordering::SeqCst) {
        report();
    }
}
