//! The reader of doorbells of a launch, and the host's thread that uses it. An activity that waits for a call
//! reads them itself ([`RequestSource`]), and the thread leaves them to it. While nothing comes the thread
//! spins for a moment, and then sleeps for growing times (exponential back-off).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::calls::Calls;
use crate::slots::block_call::{CallSite, RequestSource};

/// How long the thread spins after something came: longer than a copy of many elements takes, after which
/// their block continues.
const SPIN_TIME: Duration = Duration::from_micros(300);
/// Polls between two readings of the clock, or of the polls of activities.
const POLLS_PER_CHECK: u32 = 64;
/// The first and the longest sleep: at most a small part of a core while kernels compute.
const SLEEP_TIMES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));

/// Begins the calls that blocks request.
pub(super) struct Server {
    calls: Arc<Calls>,
    /// What each block has made; none after the end. One thread at a time reads.
    made: Mutex<Option<Vec<Made>>>,
    /// Polls of activities.
    helps: AtomicU64,
}

/// The calls of a block so far.
#[derive(Clone, Default)]
struct Made {
    /// Their number.
    calls: u64,
    /// Where the last one was.
    site: Option<Arc<CallSite>>,
}

impl Server {
    pub(super) fn new(calls: Arc<Calls>) -> Server {
        let made = Mutex::new(Some(vec![Made::default(); calls.board.blocks as usize]));
        Server { calls, made, helps: AtomicU64::default() }
    }

    /// Begins the calls whose doorbells have rung, unless another thread does; whether there were some.
    fn serve(&self) -> bool {
        let Some(mut made) = self.made.try_lock() else { return false };
        let Some(made) = &mut *made else { return false };
        let board = self.calls.board;
        let mut any = false;
        for ((block, doorbell), made) in (0..).zip(board.doorbells()).zip(made) {
            let number = made.calls + 1;
            if doorbell.load(Ordering::Relaxed) != number as u32 {
                continue;
            }
            any = true;
            // The doorbell may come before the last words of the request.
            // SAFETY: the block's staging memory, unused in a call with elements in the request.
            if let Some(post) = unsafe { board.post(block).read(number, block, board.sent(block)) } {
                made.calls = number;
                self.calls.begin(block, number, &post, &mut made.site);
            }
        }
        any
    }

    /// The kernel has ended: the memory of the mailbox is not read any more when this returns.
    pub(super) fn close(&self) {
        *self.made.lock() = None;
    }
}

impl RequestSource for Server {
    fn poll(&self) {
        self.serve();
        self.helps.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the thread of a launch works with.
pub(super) struct Proxy<'a> {
    pub server: &'a Server,
    /// The kernel has ended.
    pub is_over: &'a AtomicBool,
    /// Whether some check of the launch has failed.
    pub has_failed_check: &'a dyn Fn() -> bool,
}

impl Proxy<'_> {
    /// Serves the blocks until the kernel has ended.
    pub(super) fn run(&self) {
        let mut pause = Pause::default();
        let mut has_failed = false;
        let mut helps = 0;
        while !self.is_over.load(Ordering::Acquire) {
            let seen = self.server.helps.load(Ordering::Relaxed);
            let is_helped = seen != helps;
            helps = seen;
            let any = is_helped || self.server.serve();
            // Others wait for the block whose check has failed.
            if (any || !has_failed) && (self.has_failed_check)() {
                has_failed = true;
                self.server.calls.fail_slots("a failed check of a block");
            }
            if is_helped {
                (0..POLLS_PER_CHECK).for_each(|_| std::hint::spin_loop());
            }
            if any { pause = Pause::default() } else { pause.wait() }
        }
    }
}

/// The back-off.
#[derive(Default)]
struct Pause {
    polls: u32,
    since: Option<Instant>,
    slept: Option<Duration>,
}

impl Pause {
    fn wait(&mut self) {
        self.polls += 1;
        if self.slept.is_none() {
            std::hint::spin_loop();
            if !self.polls.is_multiple_of(POLLS_PER_CHECK) {
                return;
            }
            let since = *self.since.get_or_insert_with(Instant::now);
            if since.elapsed() < SPIN_TIME {
                return;
            }
        }
        let time = self.slept.map_or(SLEEP_TIMES.0, |last| (2 * last).min(SLEEP_TIMES.1));
        self.slept = Some(time);
        std::thread::park_timeout(time);
    }
}
