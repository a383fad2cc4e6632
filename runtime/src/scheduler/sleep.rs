//! Sleep of idle workers.
//!
//! # States
//!
//! An *active* worker runs a task. An *idle* worker has none: first it *searches* the queues, then
//! it *sleeps* on a condition variable until it is notified, or until a timeout, after which it searches
//! again. One worker sleeps on the sockets of other places instead, if there are some
//! ([`crate::net::endpoint::Waiter`]): it handles itself what comes, until it has a task.
//! A worker that waits inside of an activity can sleep too ([`Sleep::wait_briefly`]).
//!
//! # Counters
//!
//! - `sleeping`: the lower 16 bits count workers that sleep or are about to; the upper bits count wake-ups.
//!   The latter show whether a worker was awake between two reads ([`Sleep::all_sleeping`]).
//! - `searching`: number of workers that search, plus `pending_wakes`.
//! - `pending_wakes` (under the lock): number of notifications that no worker has answered yet by waking.
//!
//! # Protocol
//!
//! A thread that adds a task notifies a sleeper only if `searching` is 0; the last worker that
//! ends its search with a task notifies the next sleeper if there are more tasks. So the number of awake
//! workers follows the number of tasks, and a thread that adds a task seldom has to wake a worker. A task is
//! never lost: a worker that falls asleep first leaves `searching`, then enters `sleeping`, and then looks at
//! the queues; the thread that adds a task does so first, and then reads the counters. Both have a
//! sequentially consistent fence in between, so that at least one sees the other (Dekker's protocol). Only
//! [`Sleep::should_notify`] is read without the fence: a sleeper that it overlooks finds the task after its
//! timeout, and the owner of the queue comes to it in any case.
//!
//! # Order
//!
//! The worker that fell asleep last is woken first. Its CPU has not gone far: a CPU that has been
//! idle for long takes several times as long to come back, and its caches hold nothing of the program. The
//! worker that sleeps on sockets is woken last.

use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::time::Duration;

use crossbeam_utils::CachePadded;
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::heap;
use crate::net::endpoint::Waiter;

/// Sleeping and searching workers. The first fields are at the offsets that generated code expects
/// ([`crate::scheduler::abi_layout`]).
#[repr(C)]
pub struct Sleep {
    /// See the module.
    pub(super) sleeping: CachePadded<AtomicUsize>,
    /// See the module.
    pub(super) searching: CachePadded<AtomicUsize>,
    park_queue: Mutex<ParkQueue>,
    /// One per worker.
    wake: Vec<Condvar>,
}

struct ParkQueue {
    /// Number of notifications that no worker has answered yet by waking.
    pending_wakes: usize,
    /// Workers that sleep and were not notified, as a stack: the last one is notified first.
    workers: Vec<usize>,
    /// The worker that reads what comes from other places, and no other thread is woken for it: from its
    /// first sleep on messages, or from a request whose answer it will sleep for, until it has a task.
    reader: Option<usize>,
    /// What the reader sleeps on, while it does.
    on_messages: Option<&'static dyn Waiter>,
}

impl ParkQueue {
    /// The worker reads what comes from other places, unless another one does. Whether it does.
    fn begin_reading(&mut self, worker: usize, waiter: &dyn Waiter) -> bool {
        if self.reader.is_none() {
            self.reader = Some(worker);
            waiter.begin();
        }
        self.reader == Some(worker)
    }

    /// Adds a sleeper that is notified last.
    fn push_last(&mut self, worker: usize) {
        self.workers.insert(0, worker);
    }
}

/// Increment of [`Sleep::sleeping`]: one sleeper less, one wake-up more.
const WOKEN: usize = (1 << 16) - 1;
/// The bits of [`Sleep::sleeping`] that count workers.
const WORKERS: usize = 0xffff;

impl Sleep {
    /// Makes the state of this number of active workers.
    pub fn new(workers: usize) -> Sleep {
        Sleep {
            sleeping: CachePadded::default(),
            searching: CachePadded::default(),
            park_queue: Mutex::new(ParkQueue {
                pending_wakes: 0,
                workers: Vec::with_capacity(workers),
                reader: None,
                on_messages: None,
            }),
            wake: (0..workers).map(|_| Condvar::new()).collect(),
        }
    }

    fn nobody_sleeps(&self) -> bool {
        self.sleeping.load(Ordering::SeqCst) & WORKERS == 0
    }

    /// Whether a worker sleeps and none searches, according to relaxed reads, which may be stale.
    #[inline]
    pub fn should_notify(&self) -> bool {
        self.sleeping.load(Ordering::Relaxed) & WORKERS > 0 && self.searching.load(Ordering::Relaxed) == 0
    }

    /// Whether all workers sleep, or are about to, and none woke while `condition` was evaluated to true.
    pub fn all_sleeping(&self, condition: impl FnOnce() -> bool) -> bool {
        let sleeping = self.sleeping.load(Ordering::SeqCst);
        sleeping & WORKERS == self.wake.len()
            && condition()
            && self.sleeping.load(Ordering::SeqCst) == sleeping
    }

    /// Wakes a sleeper after a task was added, if there is one and no worker searches.
    pub fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.nobody_sleeps() || self.searching.load(Ordering::SeqCst) > 0 {
            return;
        }
        let mut queue = self.park_queue.lock();
        // Sleepers may have woken meanwhile: a notification without a sleeper would count as a search
        // forever.
        if self.nobody_sleeps() {
            return;
        }
        if self.searching.compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
            queue.pending_wakes += 1;
            if let Some(last) = queue.workers.pop() {
                self.wake(&queue, last);
            }
        }
    }

    /// Wakes up to `count` sleepers, also if workers search: each of these has a task as well.
    pub fn notify_many(&self, count: usize) {
        fence(Ordering::SeqCst);
        if count == 0 || self.nobody_sleeps() {
            return;
        }
        let mut queue = self.park_queue.lock();
        for _ in 0..count {
            let Some(last) = queue.workers.pop() else { return };
            queue.pending_wakes += 1;
            self.searching.fetch_add(1, Ordering::SeqCst);
            self.wake(&queue, last);
        }
    }

    fn wake(&self, queue: &ParkQueue, worker: usize) {
        match queue.on_messages {
            Some(waiter) if queue.reader == Some(worker) => waiter.wake(),
            _ => _ = self.wake[worker].notify_one(),
        }
    }

    /// Whether no worker sleeps or searches.
    pub fn all_active(&self) -> bool {
        self.nobody_sleeps() && self.searching.load(Ordering::SeqCst) == 0
    }

    /// Notes that the calling worker begins to search.
    pub fn begin_search(&self) {
        self.searching.fetch_add(1, Ordering::SeqCst);
    }

    /// Notes that the calling worker has found a task. True if no worker searches now, and one sleeps.
    pub fn end_search(&self) -> bool {
        self.searching.fetch_sub(1, Ordering::SeqCst) == 1
            && self.sleeping.load(Ordering::Relaxed) & WORKERS > 0
    }

    /// Blocks the calling worker, which searches, until it is notified or times out; then it searches again.
    /// `timeout` is evaluated when each further task causes a notification. `all_idle` is called if all
    /// workers sleep. With a `waiter` it sleeps on messages unless another worker reads these, and is the
    /// reader from then on ([`Sleep::end_reading`]). Whether it is.
    pub fn wait(
        &self,
        worker: usize,
        waiter: Option<&'static dyn Waiter>,
        timeout: impl FnOnce() -> Duration,
        all_idle: impl FnOnce(),
    ) -> bool {
        let reader = self.sleep(timeout, all_idle, |queue, timeout| {
            match waiter.filter(|waiter| queue.begin_reading(worker, *waiter)) {
                Some(waiter) => wait_for_messages(queue, worker, waiter, timeout),
                None => {
                    queue.workers.push(worker);
                    self.wait_for_notification(queue, worker, timeout);
                }
            }
        });
        reader == Some(worker)
    }

    /// The calling worker reads what comes from other places, unless another one does. Whether it does.
    pub fn begin_reading(&self, worker: usize, waiter: &dyn Waiter) -> bool {
        self.park_queue.lock().begin_reading(worker, waiter)
    }

    /// The calling worker, which read what comes from other places, does not any more.
    pub fn end_reading(&self, waiter: &dyn Waiter) {
        let mut queue = self.park_queue.lock();
        queue.reader = None;
        // Under the lock, so that another worker begins behind it.
        waiter.end();
    }

    /// As [`Sleep::wait`], for a worker that has an activity: it is notified last.
    pub fn wait_briefly(&self, worker: usize, timeout: impl FnOnce() -> Duration) {
        self.sleep(
            timeout,
            || (),
            |queue, timeout| {
                queue.push_last(worker);
                self.wait_for_notification(queue, worker, timeout);
            },
        );
    }

    fn wait_for_notification(&self, queue: &mut MutexGuard<'_, ParkQueue>, worker: usize, timeout: Duration) {
        heap::while_parked(|| self.wake[worker].wait_for(queue, timeout));
        // A notified worker is not in the list any more.
        queue.workers.retain(|it| *it != worker);
    }

    /// Blocks the calling worker by `block`, unless it is notified before. The worker that reads messages
    /// then.
    fn sleep(
        &self,
        timeout: impl FnOnce() -> Duration,
        all_idle: impl FnOnce(),
        block: impl FnOnce(&mut MutexGuard<'_, ParkQueue>, Duration),
    ) -> Option<usize> {
        let mut queue = self.park_queue.lock();
        self.searching.fetch_sub(1, Ordering::SeqCst);
        let sleeping = self.sleeping.fetch_add(1, Ordering::SeqCst) + 1;
        fence(Ordering::SeqCst);
        if sleeping & WORKERS == self.wake.len() {
            MutexGuard::unlocked(&mut queue, all_idle);
        }
        // A task that was added without a notification is seen here; each later one causes a notification.
        let timeout = timeout();
        if queue.pending_wakes == 0 {
            block(&mut queue, timeout);
        }
        self.sleeping.fetch_add(WOKEN, Ordering::SeqCst);
        if queue.pending_wakes > 0 {
            queue.pending_wakes -= 1;
        } else {
            self.searching.fetch_add(1, Ordering::SeqCst);
        }
        queue.reader
    }
}

/// Sleeps until messages come, or a notification. Wake-ups are sent and forgotten under the queue's lock.
fn wait_for_messages(
    queue: &mut MutexGuard<'_, ParkQueue>,
    worker: usize,
    waiter: &'static dyn Waiter,
    timeout: Duration,
) {
    queue.push_last(worker);
    queue.on_messages = Some(waiter);
    MutexGuard::unlocked(queue, || heap::while_parked(|| waiter.wait(timeout)));
    queue.on_messages = None;
    queue.workers.retain(|it| *it != worker);
    waiter.clear_wake();
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    const LONG_TIMEOUT: Duration = Duration::from_secs(600);

    /// A worker that falls asleep, and sends its number when it has woken.
    fn sleep(sleep: &Arc<Sleep>, worker: usize, woken: &Sender<usize>) {
        let (own, woken) = (Arc::clone(sleep), woken.clone());
        std::thread::spawn(move || {
            own.begin_search();
            own.wait(worker, None, || LONG_TIMEOUT, || ());
            let _ = woken.send(worker);
        });
        while sleep.park_queue.lock().workers.last() != Some(&worker) {
            std::thread::yield_now();
        }
    }

    /// Notifies, and waits for the worker that wakes.
    fn wake(sleep: &Sleep, woken: &Receiver<usize>) -> usize {
        sleep.notify();
        let worker = woken.recv_timeout(Duration::from_secs(60)).expect("one is woken");
        sleep.end_search();
        worker
    }

    #[test]
    fn last_parked_worker_is_woken_first() {
        let workers = Arc::new(Sleep::new(4));
        let (send, woken) = channel();
        for worker in [2, 0, 1] {
            sleep(&workers, worker, &send);
        }
        assert_eq!(wake(&workers, &woken), 1);
        sleep(&workers, 3, &send);
        assert_eq!([(); 3].map(|()| wake(&workers, &woken)), [3, 0, 2]);
    }

    #[test]
    fn worker_parked_inside_of_an_activity_is_woken_last() {
        let workers = Arc::new(Sleep::new(3));
        let (send, woken) = channel();
        sleep(&workers, 1, &send);
        let (own, sender) = (Arc::clone(&workers), send.clone());
        std::thread::spawn(move || {
            own.begin_search();
            own.wait_briefly(0, || LONG_TIMEOUT);
            let _ = sender.send(0);
        });
        while workers.park_queue.lock().workers != [0, 1] {
            std::thread::yield_now();
        }
        assert_eq!([(); 2].map(|()| wake(&workers, &woken)), [1, 0]);
    }

    /// Messages, which the test sends.
    #[derive(Default)]
    struct Messages {
        changed: Condvar,
        has_come: Mutex<bool>,
        is_woken: Mutex<bool>,
        /// Workers that have begun, and those that have ended.
        begun: AtomicUsize,
        ended: AtomicUsize,
    }

    impl Waiter for Messages {
        fn begin(&self) {
            self.begun.fetch_add(1, Ordering::SeqCst);
        }

        fn wait(&self, timeout: Duration) {
            let mut has_come = self.has_come.lock();
            self.changed.wait_while_for(&mut has_come, |it| !*it && !*self.is_woken.lock(), timeout);
        }

        fn wake(&self) {
            *self.is_woken.lock() = true;
            drop(self.has_come.lock());
            self.changed.notify_all();
        }

        fn clear_wake(&self) {
            *self.is_woken.lock() = false;
        }

        fn end(&self) {
            self.ended.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn one_worker_sleeps_on_messages_and_is_notified_last() {
        let messages: &'static Messages = Box::leak(Box::default());
        let workers = Arc::new(Sleep::new(3));
        let (send, woken) = channel();
        for worker in [2, 1] {
            let (own, sender) = (Arc::clone(&workers), send.clone());
            std::thread::spawn(move || {
                own.begin_search();
                let reads = own.wait(worker, Some(messages), || LONG_TIMEOUT, || ());
                let _ = sender.send(if reads { 10 + worker } else { worker });
            });
            while !workers.park_queue.lock().workers.contains(&worker) {
                std::thread::yield_now();
            }
        }
        assert_eq!(workers.park_queue.lock().workers, [2, 1]);
        assert_eq!([(); 2].map(|()| wake(&workers, &woken)), [1, 12]);
        assert!(!*messages.is_woken.lock(), "wake-ups are forgotten");
        let (own, sender) = (Arc::clone(&workers), send);
        std::thread::spawn(move || {
            own.begin_search();
            own.end_reading(messages);
            own.wait(0, Some(messages), || LONG_TIMEOUT, || ());
            let _ = sender.send(0);
        });
        *messages.has_come.lock() = true;
        messages.changed.notify_all();
        assert_eq!(woken.recv_timeout(Duration::from_secs(60)), Ok(0));
        assert!(workers.park_queue.lock().workers.is_empty());
    }

    #[test]
    fn one_worker_reads_messages_over_several_sleeps_until_it_ends() {
        let messages: &'static Messages = Box::leak(Box::default());
        let counts = || (messages.begun.load(Ordering::SeqCst), messages.ended.load(Ordering::SeqCst));
        let workers = Sleep::new(3);
        let sleep = |worker: usize| {
            workers.begin_search();
            let reads = workers.wait(worker, Some(messages), || Duration::from_millis(1), || ());
            workers.end_search();
            reads
        };
        assert!(workers.begin_reading(0, messages) && !workers.begin_reading(1, messages));
        assert_eq!([0, 0, 1, 0].map(sleep), [true, true, false, true]);
        // A notification that no worker has answered: it does not sleep.
        workers.park_queue.lock().pending_wakes = 1;
        workers.searching.fetch_add(1, Ordering::SeqCst);
        assert!(sleep(0));
        assert_eq!(counts(), (1, 0));
        workers.end_reading(messages);
        assert_eq!((counts(), sleep(1), sleep(0)), ((1, 1), true, false));
        assert_eq!(counts(), (2, 1));
    }

    #[test]
    fn as_many_as_requested_are_woken_while_one_searches() {
        let workers = Arc::new(Sleep::new(4));
        let (send, woken) = channel();
        for worker in [0, 1, 2] {
            sleep(&workers, worker, &send);
        }
        workers.begin_search();
        workers.notify_many(2);
        let mut first = [(); 2].map(|()| woken.recv_timeout(Duration::from_secs(60)).expect("two are woken"));
        first.sort_unstable();
        assert_eq!(first, [1, 2]);
        workers.notify_many(2);
        assert_eq!(woken.recv_timeout(Duration::from_secs(60)), Ok(0));
        for _ in 0..4 {
            workers.end_search();
        }
        assert!(workers.all_active(), "each wake-up was answered once");
    }

    #[test]
    fn no_worker_is_woken_while_one_searches() {
        let workers = Arc::new(Sleep::new(3));
        let (send, woken) = channel();
        sleep(&workers, 0, &send);
        workers.begin_search();
        workers.notify();
        assert!(woken.recv_timeout(Duration::from_millis(20)).is_err());
        // The worker that searched has a task, and sees that another one sleeps.
        assert!(workers.end_search());
        assert_eq!(wake(&workers, &woken), 0);
    }

    #[test]
    fn parked_worker_searches_again_after_the_timeout() {
        let workers = Sleep::new(2);
        workers.begin_search();
        let mut idle = false;
        workers.wait(1, None, || Duration::from_millis(1), || idle = true);
        assert!(!idle && !workers.should_notify() && workers.park_queue.lock().workers.is_empty());
        // Both sleep.
        workers.sleeping.fetch_add(1, Ordering::SeqCst);
        workers.wait(0, None, || Duration::from_millis(1), || idle = true);
        assert!(idle);
    }

    #[test]
    fn searching_is_zero_when_all_workers_have_tasks() {
        const WORKERS: usize = 3;
        let workers = Sleep::new(WORKERS);
        let left = AtomicUsize::new(WORKERS);
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                let (workers, left) = (&workers, &left);
                scope.spawn(move || {
                    for _ in 0..300 {
                        workers.begin_search();
                        workers.wait(worker, None, || Duration::from_micros(20), || ());
                        workers.end_search();
                    }
                    left.fetch_sub(1, Ordering::SeqCst);
                });
            }
            while left.load(Ordering::SeqCst) > 0 {
                // Some of the sleepers time out at the same moment.
                workers.notify();
            }
        });
        assert!(workers.all_active());
    }
}
