//! The reader of doorbells of a launch, and the host's thread that uses it. An activity that waits for a call
//! reads them itself ([`RequestSource`]), and the thread leaves them to it. While nothing comes the thread
//! spins for a moment, and then sleeps for growing times (exponential back-off).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::board::Board;
use super::calls::Calls;
use crate::slots::block_call::{BlockMessage, CallSite, RequestSource};

/// How long the thread spins after something came: longer than a copy of many elements takes, after which
/// their block continues.
const SPIN_TIME: Duration = Duration::from_micros(300);
/// Polls between two readings of the clock, or of the polls of activities.
const POLLS_PER_CHECK: u32 = 64;
/// The first and the longest sleep: at most a small part of a core while kernels compute.
const SLEEP_TIMES: (Duration, Duration) = (Duration::from_micros(20), Duration::from_micros(200));

/// Rounds without a poll, one after the other, in which an activity that receives what has been begun counts
/// as polling: it polls when nothing is left.
const MAX_UNPOLLED_ROUNDS: u32 = 8;

/// Begins the calls that blocks request.
pub(super) struct Server {
    calls: Arc<Calls>,
    /// None after the end. One thread at a time reads.
    read: Mutex<Option<Reader>>,
    /// Polls of activities.
    helps: AtomicU64,
    /// How many messages activities have received without a poll.
    received: Arc<AtomicU64>,
}

/// What has been read.
struct Reader {
    /// What each block has made.
    made: Vec<Made>,
    /// The blocks whose requests the last sweep has found and that have not been read, the first at the end.
    ready: Vec<u32>,
}

impl Reader {
    /// Looks for blocks that have rung since their last call, and begins to bring their requests into the
    /// caches.
    fn sweep(&mut self, board: Board) {
        self.ready.clear();
        for ((block, doorbell), made) in (0..board.blocks).zip(board.doorbells()).zip(&self.made).rev() {
            if doorbell.load(Ordering::Relaxed) == (made.calls + 1) as u32 {
                self.ready.push(block);
            }
        }
        self.ready.iter().rev().for_each(|block| board.post(*block).prefetch());
    }
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
    pub(super) fn new(calls: Arc<Calls>, received: Arc<AtomicU64>) -> Server {
        let blocks = calls.board.blocks as usize;
        let reader = Reader { made: vec![Made::default(); blocks], ready: Vec::with_capacity(blocks) };
        Server { calls, read: Mutex::new(Some(reader)), helps: AtomicU64::default(), received }
    }

    /// Begins the calls whose doorbells have rung, unless another thread does; whether there were some.
    fn serve(&self) -> bool {
        let Some(mut reader) = self.read.try_lock() else { return false };
        let Some(reader) = &mut *reader else { return false };
        reader.sweep(self.calls.board);
        let any = !reader.ready.is_empty();
        self.begin_ready(reader, &mut |_| false);
        any
    }

    /// Begins the calls that the last sweep has found, until `take` takes the message of one.
    fn begin_ready(&self, reader: &mut Reader, take: &mut dyn FnMut(&BlockMessage<'_>) -> bool) {
        let board = self.calls.board;
        while let Some(block) = reader.ready.pop() {
            let made = &mut reader.made[block as usize];
            let number = made.calls + 1;
            // The doorbell may come before the last words of the request: a later sweep finds it again.
            // SAFETY: the block's staging memory, unused in a call with elements in the request.
            let Some(post) = (unsafe { board.post(block).read(number, block, board.sent(block)) }) else {
                continue;
            };
            made.calls = number;
            if self.calls.offer(block, number, &post, &mut made.site, take) {
                return;
            }
            self.calls.begin(block, number, &post, &mut made.site);
        }
    }

    /// An activity polls: the thread leaves the requests to it. A lost count does not harm.
    fn note_poll(&self) {
        self.helps.store(self.helps.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// The kernel has ended: the memory of the mailbox is not read any more when this returns.
    pub(super) fn close(&self) {
        *self.read.lock() = None;
    }
}

impl RequestSource for Server {
    fn poll(&self) {
        self.serve();
        self.note_poll();
    }

    fn poll_until_taken(&self, take: &mut dyn FnMut(&BlockMessage<'_>) -> bool) {
        self.note_poll();
        let Some(mut reader) = self.read.try_lock() else { return };
        let Some(reader) = &mut *reader else { return };
        if reader.ready.is_empty() {
            reader.sweep(self.calls.board);
        }
        self.begin_ready(reader, take);
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
        let (mut helps, mut received, mut unpolled) = (0, 0, 0);
        while !self.is_over.load(Ordering::Acquire) {
            let seen = self.server.helps.load(Ordering::Relaxed);
            let last = self.server.received.load(Ordering::Relaxed);
            let is_polled = seen != helps;
            unpolled = if is_polled { 0 } else { u32::saturating_add(unpolled, 1) };
            let is_helped = is_polled || (last != received && unpolled <= MAX_UNPOLLED_ROUNDS);
            (helps, received) = (seen, last);
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
