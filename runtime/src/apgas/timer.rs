//! Sleeping activities: one thread waits for the next of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::apgas::cancellation;
use crate::base::fatal::fail_and_suspend;
use crate::base::place::{PlaceId, here};
use crate::heap;
use crate::scheduler::ExternalEventGuard;
use crate::scheduler::park::{Waker, block, yield_now};

struct Sleeper {
    until: Instant,
    waker: Waker,
    /// Of its job.
    epoch: u64,
    place: PlaceId,
    _event: ExternalEventGuard,
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Sleeper) -> bool {
        self.until == other.until
    }
}
impl Eq for Sleeper {}
impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Sleeper) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Sleeper {
    fn cmp(&self, other: &Sleeper) -> std::cmp::Ordering {
        self.until.cmp(&other.until)
    }
}

static SLEEPERS: Mutex<BinaryHeap<Reverse<Sleeper>>> = Mutex::new(BinaryHeap::new());
static CHANGED: Condvar = Condvar::new();

/// Suspends the calling activity for at least that long, or until its job is cancelled.
pub fn sleep(time: Duration) {
    static THREAD: OnceLock<()> = OnceLock::new();
    if time.is_zero() {
        return yield_now();
    }
    // A time beyond all calendars is the same as for ever.
    let far = Duration::from_secs(100 * 365 * 24 * 3600);
    let until = Instant::now() + time.min(far);
    THREAD.get_or_init(|| {
        let spawned = std::thread::Builder::new().name("apg-timer".into()).spawn(run);
        if let Err(error) = spawned {
            report!("apg: cannot start the thread that wakes sleeping activities: {error}");
            fail_and_suspend(1);
        }
    });
    let (epoch, place) = (cancellation::activity_epoch(), here());
    block(move |waker| {
        let mut sleepers = SLEEPERS.lock();
        // Under the lock: the next cancellation finds it there.
        if cancellation::is_past(epoch) {
            drop(sleepers);
            return waker.wake();
        }
        sleepers.push(Reverse(Sleeper { until, waker, epoch, place, _event: ExternalEventGuard::new() }));
        drop(sleepers);
        CHANGED.notify_one();
    });
}

/// Wakes those of this place whose jobs are cancelled.
pub fn wake_cancelled() {
    let woken = {
        let mut sleepers = SLEEPERS.lock();
        let all = std::mem::take(&mut *sleepers);
        let is_cancelled = |Reverse(sleeper): &Reverse<Sleeper>| {
            sleeper.place == here() && cancellation::is_past(sleeper.epoch)
        };
        let (cancelled, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_cancelled);
        *sleepers = others.into();
        cancelled
    };
    woken.into_iter().for_each(|Reverse(sleeper)| sleeper.waker.wake());
}

fn run() {
    let mut sleepers = SLEEPERS.lock();
    loop {
        let now = Instant::now();
        match sleepers.peek() {
            None => heap::while_parked(|| CHANGED.wait(&mut sleepers)),
            Some(Reverse(first)) if first.until > now => {
                let until = first.until;
                heap::while_parked(|| CHANGED.wait_until(&mut sleepers, until));
            }
            Some(_) => {
                if let Some(Reverse(sleeper)) = sleepers.pop() {
                    parking_lot::MutexGuard::unlocked(&mut sleepers, || {
                        sleeper.waker.wake();
                    });
                }
            }
        }
    }
}
