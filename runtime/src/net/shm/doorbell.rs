//! How a process that waits for another one sleeps: on a futex in memory that both have mapped.

use std::sync::atomic::{AtomicU32, Ordering, fence};

use crate::heap;

/// How often an end looks before it sleeps.
const LOOKS: u32 = 2000;
/// It looks, and will say so when it looks no more.
pub const AWAKE: u32 = 0;
/// It sleeps, or is about to.
pub const SLEEPS: u32 = 1;
/// It looks as long as it has promised the other end, and no longer.
pub const PROMISED: u32 = 2;
/// Longest sleep; nothing relies on it.
static SLEEP: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// One end's way to sleep.
#[repr(C)]
pub(crate) struct Bell {
    /// What that end does; one of the states below.
    pub state: AtomicU32,
    rings: AtomicU32,
}

impl Bell {
    /// Wakes who sleeps, after what it waits for was written; who has promised to look for that need not be
    /// woken.
    pub fn ring(&self, promised: bool) {
        fence(Ordering::SeqCst);
        match self.state.load(Ordering::Relaxed) {
            AWAKE => {}
            PROMISED if promised => {}
            _ => self.ring_anyway(),
        }
    }

    /// Somebody is about to promise the other end to look for what it writes next.
    pub fn promise(&self) {
        // Who looks on, or is just being woken, will say itself when it looks no more.
        if self.state.load(Ordering::Relaxed) == SLEEPS {
            self.state.store(PROMISED, Ordering::Release);
        }
    }

    /// Whether whoever had promised to look may cease to without saying so: nobody has said anything else
    /// meanwhile.
    pub fn is_promised(&self) -> bool {
        self.state.load(Ordering::Relaxed) == PROMISED
    }

    /// Wakes whoever may sleep.
    #[cold]
    pub fn ring_anyway(&self) {
        self.state.store(AWAKE, Ordering::SeqCst);
        self.rings.fetch_add(1, Ordering::SeqCst);
        // SAFETY: a word of memory that both processes have mapped.
        unsafe { libc::syscall(libc::SYS_futex, self.rings.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps unless `ready`, or until the bell rings; perhaps for nothing.
    pub fn sleep(&self, ready: impl Fn() -> bool) {
        let seen = self.rings.load(Ordering::SeqCst);
        self.state.store(SLEEPS, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        if !ready() {
            let word = self.rings.as_ptr();
            // SAFETY: as above.
            heap::while_parked(|| unsafe {
                libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, seen, &raw const SLEEP)
            });
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
        self.state.store(AWAKE, Ordering::Relaxed);
    }
}
