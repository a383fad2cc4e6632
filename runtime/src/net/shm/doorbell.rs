//! Doorbell: a futex in memory that two processes have mapped, on which one end sleeps until the other wakes
//! it.

use std::sync::atomic::{AtomicU32, Ordering, fence};

use crate::heap;

/// Polls before an end sleeps (spin, then park).
const MAX_POLLS: u32 = 2000;
/// State: it polls, and changes the state when it stops.
pub const AWAKE: u32 = 0;
/// State: it sleeps, or is about to.
pub const SLEEPING: u32 = 1;
/// State: it polls for as long as it has promised the other end, and no longer.
pub const SLEEPING_AFTER_PROMISE: u32 = 2;
/// Maximum sleep; correctness does not depend on it.
static MAX_SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// The doorbell of one end.
#[repr(C)]
pub(crate) struct Doorbell {
    /// What that end does: [`AWAKE`], [`SLEEPING`] or [`SLEEPING_AFTER_PROMISE`].
    pub state: AtomicU32,
    rings: AtomicU32,
}

impl Doorbell {
    /// Wakes the sleeping end, after what it waits for was written. An end that has `promised` to poll for
    /// that is not woken.
    pub fn ring(&self, promised: bool) {
        fence(Ordering::SeqCst);
        match self.state.load(Ordering::Relaxed) {
            AWAKE => {}
            SLEEPING_AFTER_PROMISE if promised => {}
            _ => self.wake(),
        }
    }

    /// A thread is about to promise the other end to poll for what it writes next.
    pub fn promise(&self) {
        // An end that polls or is being woken changes the state itself when it stops.
        if self.state.load(Ordering::Relaxed) == SLEEPING {
            self.state.store(SLEEPING_AFTER_PROMISE, Ordering::Release);
        }
    }

    /// Whether the thread that has promised to poll may stop without notice: the state was not changed
    /// meanwhile.
    pub fn is_promised(&self) -> bool {
        self.state.load(Ordering::Relaxed) == SLEEPING_AFTER_PROMISE
    }

    /// Wakes the end whatever its state.
    #[cold]
    pub fn wake(&self) {
        self.state.store(AWAKE, Ordering::SeqCst);
        self.rings.fetch_add(1, Ordering::SeqCst);
        // SAFETY: a word of memory that both processes have mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.rings.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps unless `ready`, or until woken; wake-ups may be spurious.
    pub fn sleep(&self, ready: impl Fn() -> bool) {
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
    pub fn wait_until(&self, ready: impl Fn() -> bool) {
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
