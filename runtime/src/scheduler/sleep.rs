//! Threads without work: some look for it, the others sleep. Who adds work wakes a thread only if nobody looks, and the last one that
//! finds something wakes the next if there is more: as many are awake as find work, and who adds it seldom has to wake any.
//!
//! The thread that fell asleep last is woken first. Its processor has not gone far: one that has been idle for long takes several times
//! as long to come back, and its caches hold nothing of the program.

use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::heap;
use crate::scheduler::abi_layout::Apart;

/// Who sleeps, and who looks for work. The first fields are where generated code expects them ([`crate::scheduler::abi_layout`]).
#[repr(C)]
pub struct Sleepers {
    /// Threads that wait, or are about to; above that number, how often one has ceased to.
    pub(super) asleep: Apart<AtomicUsize>,
    /// Threads that are awake without work, and those that have been woken.
    pub(super) looking: Apart<AtomicUsize>,
    beds: Mutex<Beds>,
    /// Of each thread, what wakes it.
    wake: Vec<Condvar>,
}

/// What is known under the lock.
struct Beds {
    /// Calls that nobody has followed yet: they count as threads that look.
    calls: usize,
    /// Who sleeps and has not been called, the next one to be called last.
    order: Vec<usize>,
}

/// One thread less that sleeps, and one more that has woken.
const WOKEN: usize = (1 << 16) - 1;
/// The part of [`Sleepers::asleep`] that is the number of threads.
const THREADS: usize = 0xffff;

impl Sleepers {
    /// For so many threads, which are awake and have work.
    pub fn new(threads: usize) -> Sleepers {
        Sleepers {
            asleep: Apart::default(),
            looking: Apart::default(),
            beds: Mutex::new(Beds { calls: 0, order: Vec::with_capacity(threads) }),
            wake: (0..threads).map(|_| Condvar::new()).collect(),
        }
    }

    /// Whether it seems that a thread waits, and none looks for work.
    #[inline]
    pub fn are_needed(&self) -> bool {
        self.asleep.load(Ordering::Relaxed) & THREADS > 0 && self.looking.load(Ordering::Relaxed) == 0
    }

    /// Whether all threads sleep, or are about to, and none woke up while `and` was found to be true.
    pub fn all_sleep(&self, and: impl FnOnce() -> bool) -> bool {
        let asleep = self.asleep.load(Ordering::SeqCst);
        asleep & THREADS == self.wake.len() && and() && self.asleep.load(Ordering::SeqCst) == asleep
    }

    /// Wakes a thread, if there is one and none looks for work, after work was added.
    pub fn notify(&self) {
        fence(Ordering::SeqCst);
        let nobody_sleeps = || self.asleep.load(Ordering::SeqCst) & THREADS == 0;
        if nobody_sleeps() || self.looking.load(Ordering::SeqCst) > 0 {
            return;
        }
        let mut beds = self.beds.lock();
        // Who slept may have woken, and looks: a call that nobody follows would count as one that looks.
        if nobody_sleeps() {
            return;
        }
        if self.looking.compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
            beds.calls += 1;
            if let Some(last) = beds.order.pop() {
                self.wake[last].notify_one();
            }
        }
    }

    /// Whether no thread waits, or looks for work.
    pub fn all_busy(&self) -> bool {
        self.asleep.load(Ordering::SeqCst) & THREADS == 0 && self.looking.load(Ordering::SeqCst) == 0
    }

    /// The caller begins to look for work.
    pub fn begin(&self) {
        self.looking.fetch_add(1, Ordering::SeqCst);
    }

    /// The caller, who has looked for work, has found some. True if nobody else looks while somebody sleeps.
    pub fn found(&self) -> bool {
        self.looking.fetch_sub(1, Ordering::SeqCst) == 1 && self.asleep.load(Ordering::Relaxed) & THREADS > 0
    }

    /// The caller, thread `number`, who looks for work, waits until it is woken, or for the time that `at_most` says when nothing is added
    /// any more without somebody being woken; then it looks again. `all_idle` is called when all threads wait.
    pub fn wait(&self, number: usize, at_most: impl FnOnce() -> Duration, all_idle: impl FnOnce()) {
        self.sleep(number, at_most, all_idle, |order| order.push(number));
    }

    /// The same for a thread that has an activity: it is woken when no other one sleeps.
    pub fn nap(&self, number: usize, at_most: impl FnOnce() -> Duration) {
        self.sleep(number, at_most, || (), |order| order.insert(0, number));
    }

    fn sleep(
        &self,
        number: usize,
        at_most: impl FnOnce() -> Duration,
        all_idle: impl FnOnce(),
        lie_down: impl FnOnce(&mut Vec<usize>),
    ) {
        let mut beds = self.beds.lock();
        self.looking.fetch_sub(1, Ordering::SeqCst);
        let asleep = self.asleep.fetch_add(1, Ordering::SeqCst) + 1;
        fence(Ordering::SeqCst);
        if asleep & THREADS == self.wake.len() {
            parking_lot::MutexGuard::unlocked(&mut beds, all_idle);
        }
        // Whoever has added work and wakes nobody is seen here; whoever adds some from now on wakes a thread.
        let time = at_most();
        if beds.calls == 0 {
            lie_down(&mut beds.order);
            heap::while_parked(|| self.wake[number].wait_for(&mut beds, time));
            // Unless it was called.
            beds.order.retain(|it| *it != number);
        }
        self.asleep.fetch_add(WOKEN, Ordering::SeqCst);
        if beds.calls > 0 {
            beds.calls -= 1;
        } else {
            self.looking.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A thread that falls asleep, and says its number when it has been woken.
    fn sleep(sleepers: &Arc<Sleepers>, number: usize, woken: &Sender<usize>) {
        let (own, woken) = (Arc::clone(sleepers), woken.clone());
        std::thread::spawn(move || {
            own.begin();
            own.wait(number, || Duration::from_secs(600), || ());
            let _ = woken.send(number);
        });
        while sleepers.beds.lock().order.last() != Some(&number) {
            std::thread::yield_now();
        }
    }

    /// Adds work, and waits for who comes.
    fn wake(sleepers: &Sleepers, woken: &Receiver<usize>) -> usize {
        sleepers.notify();
        let number = woken.recv_timeout(Duration::from_secs(60)).expect("one is woken");
        sleepers.found();
        number
    }

    #[test]
    fn who_fell_asleep_last_is_woken_first() {
        let sleepers = Arc::new(Sleepers::new(4));
        let (say, woken) = channel();
        for number in [2, 0, 1] {
            sleep(&sleepers, number, &say);
        }
        assert_eq!(wake(&sleepers, &woken), 1);
        sleep(&sleepers, 3, &say);
        assert_eq!([(); 3].map(|()| wake(&sleepers, &woken)), [3, 0, 2]);
    }

    #[test]
    fn who_naps_in_an_activity_is_woken_last() {
        let sleepers = Arc::new(Sleepers::new(3));
        let (say, woken) = channel();
        sleep(&sleepers, 1, &say);
        let (own, napped) = (Arc::clone(&sleepers), say.clone());
        std::thread::spawn(move || {
            own.begin();
            own.nap(0, || Duration::from_secs(600));
            let _ = napped.send(0);
        });
        while sleepers.beds.lock().order != [0, 1] {
            std::thread::yield_now();
        }
        assert_eq!([(); 2].map(|()| wake(&sleepers, &woken)), [1, 0]);
    }

    #[test]
    fn nobody_is_woken_while_one_looks() {
        let sleepers = Arc::new(Sleepers::new(3));
        let (say, woken) = channel();
        sleep(&sleepers, 0, &say);
        sleepers.begin();
        sleepers.notify();
        assert!(woken.recv_timeout(Duration::from_millis(20)).is_err());
        // The one that looked has found something, and sees that another one sleeps.
        assert!(sleepers.found());
        assert_eq!(wake(&sleepers, &woken), 0);
    }

    #[test]
    fn who_sleeps_looks_again_after_a_while() {
        let sleepers = Sleepers::new(2);
        sleepers.begin();
        let mut idle = false;
        sleepers.wait(1, || Duration::from_millis(1), || idle = true);
        assert!(!idle && !sleepers.are_needed() && sleepers.beds.lock().order.is_empty());
        // Both wait.
        sleepers.asleep.fetch_add(1, Ordering::SeqCst);
        sleepers.wait(0, || Duration::from_millis(1), || idle = true);
        assert!(idle);
    }

    #[test]
    fn nobody_counts_as_looking_when_all_have_found_something() {
        const THREADS: usize = 3;
        let sleepers = Sleepers::new(THREADS);
        let left = AtomicUsize::new(THREADS);
        std::thread::scope(|scope| {
            for number in 0..THREADS {
                let (sleepers, left) = (&sleepers, &left);
                scope.spawn(move || {
                    for _ in 0..300 {
                        sleepers.begin();
                        sleepers.wait(number, || Duration::from_micros(20), || ());
                        sleepers.found();
                    }
                    left.fetch_sub(1, Ordering::SeqCst);
                });
            }
            while left.load(Ordering::SeqCst) > 0 {
                // Some of those that sleep wake just now.
                sleepers.notify();
            }
        });
        assert!(sleepers.all_busy());
    }
}
