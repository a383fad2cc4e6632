//! How a process that waits for another one sleeps: on a futex in memory that both have mapped.

use std::sync::atomic::{AtomicU32, Ordering, fence};

/// How often an end looks before it sleeps.
const LOOKS: u32 = 2000;
/// Longest sleep; nothing relies on it.
static SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// One end's way to sleep.
#[repr(C)]
pub(super) struct Bell {
    /// Somebody sleeps, or is about to.
    pub sleeps: AtomicU32,
    rings: AtomicU32,
}

impl Bell {
    /// Wakes who sleeps, after what it waits for was written.
    pub fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.sleeps.load(Ordering::Relaxed) != 0 {
            self.ring_anyway();
        }
    }

    /// Wakes whoever may sleep.
    #[cold]
    pub fn ring_anyway(&self) {
        self.sleeps.store(0, Ordering::SeqCst);
        self.rings.fetch_add(1, Ordering::SeqCst);
        // SAFETY: a word of memory that both processes have mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.rings.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps unless `ready`, or until the bell rings; perhaps for nothing.
    pub fn sleep(&self, ready: impl Fn() -> bool) {
        let seen = self.rings.load(Ordering::SeqCst);
        self.sleeps.store(1, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            let word = self.rings.as_ptr();
            // SAFETY: as above.
            unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, seen, &raw const SLEEP) };
        }
    }

    /// Looks for a while, then sleeps, until `ready`.
    pub fn wait_until(&self, ready: impl Fn() -> bool) {
        for look in 0..LOOKS {
            if ready() {
                return;
            }
            if look % 16 == 15 { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
        while !ready() {
            self.sleep(&ready);
        }
        self.sleeps.store(0, Ordering::Relaxed);
    }
}
