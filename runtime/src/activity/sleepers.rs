//! Threads without work: some look for it, the others sleep. Who adds work wakes a thread only if nobody looks, and the last one that
//! finds something wakes the next if there is more: as many are awake as find work, and who adds it seldom has to wake any.

use std::sync::atomic::{AtomicUsize, Ordering, fence};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::shared::Apart;
use crate::memory;

/// Who sleeps, and who looks for work. The first fields are where generated code expects them ([`super::shared`]).
#[derive(Default)]
#[repr(C)]
pub struct Sleepers {
    /// Threads that wait, or are about to; above that number, how often one has ceased to.
    pub(super) asleep: Apart<AtomicUsize>,
    /// Threads that are awake without work, and those that have been woken.
    pub(super) looking: Apart<AtomicUsize>,
    /// Calls that nobody has followed yet: they count as threads that look.
    calls: Mutex<usize>,
    wake: Condvar,
}

/// One thread less that sleeps, and one more that has woken.
const WOKEN: usize = (1 << 16) - 1;
/// The part of [`Sleepers::asleep`] that is the number of threads.
const THREADS: usize = 0xffff;

impl Sleepers {
    /// Whether it seems that a thread waits, and none looks for work.
    #[inline]
    pub fn are_needed(&self) -> bool {
        self.asleep.load(Ordering::Relaxed) & THREADS > 0 && self.looking.load(Ordering::Relaxed) == 0
    }

    /// Whether all threads sleep, or are about to, and none woke up while `and` was found to be true.
    pub fn all_sleep(&self, threads: usize, and: impl FnOnce() -> bool) -> bool {
        let asleep = self.asleep.load(Ordering::SeqCst);
        asleep & THREADS == threads && and() && self.asleep.load(Ordering::SeqCst) == asleep
    }

    /// Wakes a thread, if there is one and none looks for work, after work was added.
    pub fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.asleep.load(Ordering::SeqCst) & THREADS == 0 {
            return;
        }
        if self.looking.compare_exchange(0, 1, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
            *self.calls.lock() += 1;
            self.wake.notify_one();
        }
    }

    /// The caller begins to look for work.
    pub fn begin(&self) {
        self.looking.fetch_add(1, Ordering::SeqCst);
    }

    /// The caller, who has looked for work, has found some. True if nobody else looks while somebody sleeps.
    pub fn found(&self) -> bool {
        self.looking.fetch_sub(1, Ordering::SeqCst) == 1 && self.asleep.load(Ordering::Relaxed) & THREADS > 0
    }

    /// The caller, who looks for work, waits until it is woken, or for the time that `at_most` says when nothing is added any more without
    /// somebody being woken; then it looks again. `all_idle` is called when all threads wait.
    pub fn wait(&self, threads: usize, at_most: impl FnOnce() -> Duration, all_idle: impl FnOnce()) {
        let mut calls = self.calls.lock();
        self.looking.fetch_sub(1, Ordering::SeqCst);
        let asleep = self.asleep.fetch_add(1, Ordering::SeqCst) + 1;
        fence(Ordering::SeqCst);
        if asleep & THREADS == threads {
            parking_lot::MutexGuard::unlocked(&mut calls, all_idle);
        }
        // Whoever has added work and wakes nobody is seen here; whoever adds some from now on wakes a thread.
        let time = at_most();
        if *calls == 0 {
            memory::while_parked(|| self.wake.wait_for(&mut calls, time));
        }
        self.asleep.fetch_add(WOKEN, Ordering::SeqCst);
        if *calls > 0 {
            *calls -= 1;
        } else {
            self.looking.fetch_add(1, Ordering::SeqCst);
        }
    }
}
