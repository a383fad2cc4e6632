//! Doorbells: each end of a ring sleeps on a futex in shared memory until the other end wakes it.

use std::sync::atomic::{AtomicU32, Ordering, fence};

use crate::heap;

/// Number of polls before an end sleeps (spin, then park).
const MAX_POLLS: u32 = 2000;
/// State: the end polls, and changes the state before it stops.
pub(crate) const AWAKE: u32 = 0;
/// State: the end sleeps, or is about to.
pub(crate) const SLEEPING: u32 = 1;
/// State: as [`SLEEPING`], but a thread of this end has promised the other end to poll for one message.
pub(crate) const SLEEPING_AFTER_PROMISE: u32 = 2;
/// Maximum sleep; correctness does not depend on it.
static MAX_SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The doorbell of one end.
#[repr(C)]
pub(crate) struct Doorbell {
    /// State of that end: [`AWAKE`], [`SLEEPING`] or [`SLEEPING_AFTER_PROMISE`].
    pub state: AtomicU32,
    rings: AtomicU32,
}

impl Doorbell {
    /// Wakes the end if it sleeps. The caller has written the data that the end waits for. An end that has
    /// `promised` to poll for this data is not woken.
    pub(crate) fn ring(&self, promised: bool) {
        fence(Ordering::SeqCst);
        match self.state.load(Ordering::Relaxed) {
            AWAKE => {}
            SLEEPING_AFTER_PROMISE if promised => {}
            _ => self.wake(),
        }
    }

    /// Notes that a thread of this end is about to promise the other end to poll for its next message.
    pub(crate) fn promise(&self) {
        // An end that polls or is being woken changes the state itself when it stops.
        if self.state.load(Ordering::Relaxed) == SLEEPING {
            self.state.store(SLEEPING_AFTER_PROMISE, Ordering::Release);
        }
    }

    /// Whether the thread that has promised to poll may stop without notice: the state was not changed
    /// meanwhile.
    pub(crate) fn is_promised(&self) -> bool {
        self.state.load(Ordering::Relaxed) == SLEEPING_AFTER_PROMISE
    }

    /// Wakes the end whatever its state.
    #[cold]
    pub(crate) fn wake(&self) {
        self.state.store(AWAKE, Ordering::SeqCst);
        self.rings.fetch_add(1, Ordering::SeqCst);
        // SAFETY: a word of memory that both processes have mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.rings.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps unless `ready`, or until woken; wake-ups may be spurious.
    pub(crate) fn sleep(&self, ready: impl Fn() -> bool) {
        let seen = self.rings.load(Ordering::SeqCst);
        self.state.store(SLEEPING, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            let word = self.rings.as_ptr();
            // SAFETY: a word of memory that both processes have mapped.
            heap::while_parked(|| unsafe {
                libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, seen, &raw const MAX_SLEEP)
            });
        }
    }

    /// Polls for a while, then sleeps, until `ready`.
    pub(crate) fn wait_until(&self, ready: impl Fn() -> bool) {
        for poll in 0..MAX_POLLS {
            if ready() {
                return;
            }
            if poll % 16 == 15 { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        while !ready() {
            self.sleep(&ready);
        }
        self.state.store(AWAKE, Ordering::Relaxed);
    }
}
