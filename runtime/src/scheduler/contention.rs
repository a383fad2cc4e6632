//! Contention for the CPUs of workers that poll: whether polling before a sleep is worthwhile (competitive
//! spinning; Karlin, Li, Manasse and Owicki, "Empirical Studies of Competitive Spinning for a Shared-Memory
//! Multiprocessor", SOSP 1991).
//!
//! A poller that was preempted has seen that other threads want its CPU. From then on workers sleep at once,
//! for a while, after which they poll again. That while is doubled by each preemption that follows soon.
//!
//! The first while is long beside the time for which a thread of high priority polls undisturbed among
//! others: where CPUs are never idle, a sleeping worker is woken as soon as a polling one finds a message,
//! and yields of pollers are expensive (since Linux 6.18, a thread that yields forfeits the rest of its
//! slice).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A poller that was away for so long was preempted: interrupts and other pollers of the CPU take less.
pub(super) const PREEMPTION: Duration = Duration::from_micros(200);
/// First and longest time without polling.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(2));
/// Polling has been worthwhile after it lasted that many times the pause before it.
const MIN_POLLING_PER_PAUSE: u64 = 8;

/// The last preemption and what follows from it. Read and written by the worker that polls; others may read
/// values that are a little old, which costs time only.
pub(super) struct Contention {
    origin: Instant,
    /// Nanoseconds from the origin until workers poll again; 0 before the first preemption.
    until: AtomicU64,
    /// Nanoseconds that the last pause was meant to last.
    pause: AtomicU64,
}

impl Default for Contention {
    fn default() -> Contention {
        Contention { origin: Instant::now(), until: AtomicU64::new(0), pause: AtomicU64::new(0) }
    }
}

impl Contention {
    fn nanoseconds(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.origin).as_nanos() as u64
    }

    /// Whether a poller would probably be preempted.
    pub(super) fn is_expected(&self, now: Instant) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        until > 0 && self.nanoseconds(now) < until
    }

    /// A poller was preempted.
    pub(super) fn observe(&self, now: Instant) {
        let (first, longest) = (PAUSES.0.as_nanos() as u64, PAUSES.1.as_nanos() as u64);
        let (now, last) = (self.nanoseconds(now), self.pause.load(Ordering::Relaxed));
        let polled = now.saturating_sub(self.until.load(Ordering::Relaxed));
        let pause = match polled > MIN_POLLING_PER_PAUSE * last {
            true => first,
            false => (2 * last).clamp(first, longest),
        };
        self.pause.store(pause, Ordering::Relaxed);
        self.until.store(now + pause, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_until_polling_has_been_worthwhile() {
        let contention = Contention::default();
        let mut now = contention.origin;
        assert!(!contention.is_expected(now));
        now += Duration::from_secs(5);
        let mut pauses = Vec::new();
        for polled in [0, 1, 1, 1, 1, 1, 1, 17_000, 1] {
            now += Duration::from_millis(polled);
            contention.observe(now);
            assert!(contention.is_expected(now));
            let pause = Duration::from_nanos(contention.pause.load(Ordering::Relaxed));
            assert!(contention.is_expected(now + pause - Duration::from_nanos(1)));
            now += pause;
            assert!(!contention.is_expected(now), "workers poll again");
            pauses.push(pause.as_millis());
        }
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 2000, 2000, 100, 200]);
    }
}
