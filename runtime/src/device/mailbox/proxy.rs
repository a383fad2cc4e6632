//! The host's thread of a launch: reads doorbells and begins their calls. While nothing comes it spins for a
//! moment, and then sleeps for growing times (exponential back-off).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::calls::Calls;

/// How long the thread spins after something came.
const SPIN_TIME: Duration = Duration::from_micros(100);
/// Polls between two readings of the clock.
const POLLS_PER_CLOCK_READ: u32 = 64;
/// The first and the longest sleep: at most a small part of a core while kernels compute.
const SLEEP_TIMES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));

/// What the thread of a launch works with.
pub(super) struct Proxy<'a> {
    pub calls: &'a Arc<Calls>,
    /// The kernel has ended.
    pub is_over: &'a AtomicBool,
    /// Whether some check of the launch has failed.
    pub has_failed_check: &'a dyn Fn() -> bool,
}

impl Proxy<'_> {
    /// Serves the blocks until the kernel has ended.
    pub(super) fn run(&self) {
        let board = self.calls.board;
        let mut made = vec![0_u64; board.blocks as usize];
        let mut pause = Pause::default();
        let mut has_failed = false;
        while !self.is_over.load(Ordering::Acquire) {
            let mut any = false;
            for ((block, doorbell), made) in (0..).zip(board.doorbells()).zip(&mut made) {
                let number = *made + 1;
                if doorbell.load(Ordering::Relaxed) != number as u32 {
                    continue;
                }
                any = true;
                // The doorbell may come before the last words of the request.
                if let Some(post) = board.post(block).read(number) {
                    *made = number;
                    self.calls.begin(block, number, &post);
                }
            }
            // Others wait for the block whose check has failed.
            if (any || !has_failed) && (self.has_failed_check)() {
                has_failed = true;
                self.calls.fail_slots("a failed check of a block");
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
            if !self.polls.is_multiple_of(POLLS_PER_CLOCK_READ) {
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
