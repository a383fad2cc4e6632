//! Parallel loops in progress: affinity scheduling (Markatos and LeBlanc, *Using Processor Affinity in Loop
//! Scheduling on Shared-Memory Multiprocessors*, IEEE TPDS 1994).
//!
//! Each worker has its part of the iterations, so that it finds in its caches what the same part of the loop
//! before has left there. It claims chunks of decreasing length, and when its part is exhausted, chunks of
//! the part that has most iterations left: iterations may differ in cost by orders of magnitude. A loop is
//! published in one word, which idle workers read: to begin and to end a loop takes no task for each helper.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use crate::base::sanitizer;
use crate::heap::{Handle, Ref};
use crate::scheduler::park::Event;

/// A loop body: runs the iterations `first..last` and returns an exception or null.
pub(super) type Body<'a> = dyn Fn(i64, i64) -> Ref + Sync + 'a;

/// Loops at the same time that have helpers.
const MAX_LOOPS: usize = 8;
/// A chunk is the remaining iterations of a part divided by this: the last chunk to begin, which may be the
/// most expensive one, has few iterations also where threads come to help late.
const CHUNK_DIVISOR: i64 = 8;

/// The parallel loops of a pool.
pub(super) struct ParallelLoops {
    /// A bit for each loop that has iterations which no thread has claimed.
    open: CachePadded<AtomicU64>,
    /// A bit for each entry of `loops` that no caller uses.
    free: AtomicU64,
    loops: Vec<ParallelLoop>,
}

/// A loop, or room for one.
struct ParallelLoop {
    /// Number of helpers inside, [`CLOSED`] and [`AWAITED`].
    state: CachePadded<AtomicUsize>,
    /// Written by the caller while the loop is closed and has no helper, read by helpers inside.
    description: UnsafeCell<Description>,
    /// Signalled by the last helper that leaves while the state is [`AWAITED`].
    left: Event,
    exception: Mutex<Option<Handle>>,
    /// The part of each worker.
    parts: Vec<CachePadded<Part>>,
}

/// What the helpers of a loop execute.
#[derive(Clone, Copy)]
struct Description {
    body: *const Body<'static>,
    /// Threads that have a part.
    threads: usize,
}

/// Iterations of a worker.
#[derive(Default)]
struct Part {
    /// The first iteration that no thread has claimed.
    next: AtomicI64,
    end: AtomicI64,
}

/// No helper may enter.
const CLOSED: usize = 1 << 32;
/// The caller waits until no helper is inside.
const AWAITED: usize = 1 << 33;
/// The bits of the state that count helpers.
const HELPERS: usize = CLOSED - 1;

// SAFETY: the body is `Sync` and outlives its calls, since the caller waits for all helpers; the description
// is written by one thread while no other reads it.
unsafe impl Send for ParallelLoop {}
// SAFETY: see above.
unsafe impl Sync for ParallelLoop {}

impl ParallelLoops {
    /// Room for the loops of that number of workers.
    pub(super) fn new(workers: usize) -> ParallelLoops {
        ParallelLoops {
            open: CachePadded::default(),
            free: AtomicU64::new((1 << MAX_LOOPS) - 1),
            loops: (0..MAX_LOOPS).map(|_| ParallelLoop::new(workers)).collect(),
        }
    }

    /// A loop that takes helpers.
    #[inline]
    pub(super) fn find_open(&self) -> Option<usize> {
        match self.open.load(Ordering::SeqCst) {
            0 => None,
            open => Some(open.trailing_zeros() as usize),
        }
    }

    /// Publishes a loop over `0..count`: its index. `None` if there are too many loops at the same time.
    ///
    /// # Safety
    /// The body is valid until [`ParallelLoops::end`] has returned.
    pub(super) unsafe fn begin(&self, count: i64, body: *const Body<'_>) -> Option<usize> {
        let one_less = |free: u64| (free != 0).then(|| free & (free - 1));
        let free = self.free.fetch_update(Ordering::Acquire, Ordering::Relaxed, one_less).ok()?;
        let index = free.trailing_zeros() as usize;
        let this = &self.loops[index];
        let workers = this.parts.len() as i64;
        let bound = |worker: i64| (i128::from(count) * i128::from(worker) / i128::from(workers)) as i64;
        for (part, worker) in this.parts.iter().zip(0..) {
            part.next.store(bound(worker), Ordering::Relaxed);
            part.end.store(bound(worker + 1), Ordering::Relaxed);
        }
        // SAFETY: only the lifetime changes; the body is valid until the loop has ended.
        let body = unsafe { std::mem::transmute::<*const Body<'_>, *const Body<'static>>(body) };
        let description = Description { body, threads: count.min(workers) as usize };
        // SAFETY: the entry is the caller's, and closed: nothing else reads the description.
        unsafe { *this.description.get() = description };
        sanitizer::release(&raw const *this.state);
        this.state.fetch_and(!CLOSED, Ordering::AcqRel);
        self.open.fetch_or(1 << index, Ordering::SeqCst);
        Some(index)
    }

    /// Takes part in a loop, unless it is closed. `has_entered` is called with the number of threads that
    /// could join as well.
    pub(super) fn help(&self, index: usize, worker: usize, has_entered: impl FnOnce(usize)) {
        let this = &self.loops[index];
        let before = this.state.fetch_add(1, Ordering::AcqRel);
        if before & CLOSED == 0 {
            sanitizer::acquire(&raw const *this.state);
            // SAFETY: this helper is inside of an open loop.
            let threads = unsafe { (*this.description.get()).threads };
            has_entered(threads.saturating_sub((before & HELPERS) + 2));
            self.run(index, worker);
            sanitizer::release(&raw const this.exception);
        }
        if this.state.fetch_sub(1, Ordering::AcqRel) == (CLOSED | AWAITED) + 1 {
            this.left.set();
        }
    }

    /// Runs chunks until none is left; then the loop is closed. For its caller, and for helpers inside.
    pub(super) fn run(&self, index: usize, worker: usize) {
        let this = &self.loops[index];
        this.run_chunks(worker);
        if this.state.fetch_or(CLOSED, Ordering::AcqRel) & CLOSED == 0 {
            self.open.fetch_and(!(1 << index), Ordering::SeqCst);
        }
    }

    /// Waits for the helpers of a loop whose caller has run all chunks that were left: the first exception,
    /// or null.
    pub(super) fn end(&self, index: usize) -> Ref {
        let this = &self.loops[index];
        this.wait_for_helpers();
        sanitizer::acquire(&raw const this.exception);
        let exception = this.exception.lock().take().map_or(Ref::NULL, |handle| handle.get());
        self.free.fetch_or(1 << index, Ordering::Release);
        exception
    }
}

impl ParallelLoop {
    fn new(workers: usize) -> ParallelLoop {
        let nothing: &'static Body<'static> = &|_, _| Ref::NULL;
        ParallelLoop {
            state: CachePadded::new(AtomicUsize::new(CLOSED)),
            description: UnsafeCell::new(Description { body: nothing, threads: 0 }),
            left: Event::default(),
            exception: Mutex::new(None),
            parts: (0..workers.max(1)).map(|_| CachePadded::default()).collect(),
        }
    }

    /// Runs the worker's own part, then what is left of the others.
    fn run_chunks(&self, worker: usize) {
        // SAFETY: the calling thread is the loop's caller or inside, so that the description and the body are
        // valid.
        let body = unsafe { &*(*self.description.get()).body };
        let own = &self.parts[worker % self.parts.len()];
        while let Some((first, last)) = own.take_chunk().or_else(|| self.steal_chunk()) {
            let exception = body(first, last);
            if !exception.is_null() {
                let handle = Handle::new(exception);
                self.exception.lock().get_or_insert(handle);
                self.parts.iter().for_each(|part| part.exhaust());
                return;
            }
        }
    }

    /// Claims a chunk of the part that has most iterations left. `None` if all parts are exhausted.
    fn steal_chunk(&self) -> Option<(i64, i64)> {
        loop {
            let most_loaded = self.parts.iter().max_by_key(|part| part.remaining())?;
            if most_loaded.remaining() == 0 {
                return None;
            }
            // Its owner and other threads may have claimed the rest meanwhile.
            if let Some(chunk) = most_loaded.take_chunk() {
                return Some(chunk);
            }
        }
    }

    /// Waits until no helper is inside; the loop is closed.
    fn wait_for_helpers(&self) {
        /// Chunks at the end are short, and to suspend the caller would take it to another worker.
        const SPIN: Duration = Duration::from_micros(50);
        const ROUNDS_PER_TIME_CHECK: u32 = 32;
        let has_helpers = || self.state.load(Ordering::Acquire) & HELPERS > 0;
        let (mut began, mut round) = (None, 0_u32);
        while has_helpers() {
            std::hint::spin_loop();
            round += 1;
            if round.is_multiple_of(ROUNDS_PER_TIME_CHECK)
                && began.get_or_insert_with(Instant::now).elapsed() > SPIN
            {
                break;
            }
        }
        while has_helpers() {
            // A helper of an earlier loop in this entry may signal late: that ends a wait too early at most.
            self.left.reset();
            if self.state.fetch_or(AWAITED, Ordering::AcqRel) & HELPERS > 0 {
                self.left.wait();
            }
        }
        self.state.fetch_and(!AWAITED, Ordering::AcqRel);
    }
}

impl Part {
    /// Claims a chunk: the first ones are long, so that neighbours, which mostly use the same memory, are
    /// done by one thread, and the last ones short, so that all threads end together.
    fn take_chunk(&self) -> Option<(i64, i64)> {
        let end = self.end.load(Ordering::Relaxed);
        let length = |first: i64| ((end - first) / CHUNK_DIVISOR).max(1);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |first| {
            (first < end).then(|| first + length(first))
        });
        taken.ok().map(|first| (first, first + length(first)))
    }

    /// Number of iterations that no thread has claimed.
    fn remaining(&self) -> i64 {
        (self.end.load(Ordering::Relaxed) - self.next.load(Ordering::Relaxed)).max(0)
    }

    /// Leaves out the iterations that no thread has claimed.
    fn exhaust(&self) {
        self.next.store(self.end.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chunks that one worker of four claims of a loop.
    fn chunks_of(worker: usize, count: i64) -> Vec<(i64, i64)> {
        let loops = ParallelLoops::new(4);
        let chunks = Mutex::new(Vec::new());
        let body = |first: i64, last: i64| {
            chunks.lock().push((first, last));
            Ref::NULL
        };
        // SAFETY: the loop ends below, before the body does.
        let index = unsafe { loops.begin(count, &raw const body) }.expect("there is room");
        assert_eq!(loops.find_open(), Some(index));
        loops.run(index, worker);
        assert_eq!(loops.find_open(), None);
        assert!(loops.end(index).is_null());
        chunks.into_inner()
    }

    #[test]
    fn each_iteration_is_claimed_once_for_all_counts() {
        for count in 0..70 {
            for worker in 0..5 {
                let mut all =
                    chunks_of(worker, count).into_iter().flat_map(|(a, b)| a..b).collect::<Vec<_>>();
                all.sort_unstable();
                assert_eq!(all, (0..count).collect::<Vec<_>>(), "{count} iterations");
            }
        }
    }

    #[test]
    fn worker_begins_with_its_own_part() {
        let chunks = [0, 1, 2, 3].map(|worker| chunks_of(worker, 400));
        assert_eq!(chunks.each_ref().map(|it| it[0]), [(0, 12), (100, 112), (200, 212), (300, 312)]);
        let own = |first: i64| (200..300).contains(&first);
        assert!(chunks[2].is_sorted_by_key(|(first, _)| !own(*first)), "then the others: {:?}", chunks[2]);
    }

    #[test]
    fn worker_without_iterations_takes_from_the_part_with_most_left() {
        let loops = ParallelLoops::new(4);
        let body = |_, _| Ref::NULL;
        // SAFETY: the body outlives the loop.
        let index = unsafe { loops.begin(400, &raw const body) }.expect("there is room");
        let this = &loops.loops[index];
        this.parts[0].exhaust();
        this.parts[1].take_chunk();
        this.parts[3].take_chunk();
        assert_eq!(this.steal_chunk(), Some((200, 212)));
        let mut left = this.parts.iter().map(|part| part.remaining()).collect::<Vec<_>>();
        assert_eq!(left, [0, 88, 88, 88]);
        while this.steal_chunk().is_some() {
            left = this.parts.iter().skip(1).map(|part| part.remaining()).collect();
            let (least, most) = (left.iter().min(), left.iter().max());
            assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 12), "balanced: {left:?}");
        }
        assert_eq!(left, [0, 0, 0]);
        loops.run(index, 0);
        loops.end(index);
    }

    /// Virtual time of a loop whose iterations have those costs, relative to the mean of the threads.
    fn imbalance(threads: usize, costs: &[u64]) -> f64 {
        let loops = ParallelLoops::new(threads);
        let body = |_, _| Ref::NULL;
        // SAFETY: the body outlives the loop.
        let index = unsafe { loops.begin(costs.len() as i64, &raw const body) }.expect("there is room");
        let this = &loops.loops[index];
        let mut times = vec![0; threads];
        loop {
            let earliest = (0..threads).min_by_key(|it| times[*it]).expect("there are threads");
            let chunk = this.parts[earliest].take_chunk().or_else(|| this.steal_chunk());
            let Some((first, last)) = chunk else { break };
            times[earliest] += costs[first as usize..last as usize].iter().sum::<u64>();
        }
        loops.run(index, 0);
        loops.end(index);
        let mean = costs.iter().sum::<u64>() as f64 / threads as f64;
        *times.iter().max().expect("there are threads") as f64 / mean
    }

    #[test]
    fn threads_end_together_where_costs_differ() {
        // As in a Mandelbrot set: most of the work is in the middle rows.
        let costs = |row: i64| if (24..40).contains(&row) { 160 } else { 8 };
        let image = (0..64).flat_map(|row| std::iter::repeat_n(costs(row), 64)).collect::<Vec<_>>();
        let increasing = (0..4096).collect::<Vec<_>>();
        for threads in [2, 4, 16, 64] {
            assert!(imbalance(threads, &image) < 1.05, "{threads} threads");
            assert!(imbalance(threads, &increasing) < 1.05, "{threads} threads");
        }
    }

    #[test]
    fn closed_loop_takes_no_helper() {
        let loops = ParallelLoops::new(2);
        let body = |_, _| Ref::NULL;
        // SAFETY: the body outlives the loop.
        let index = unsafe { loops.begin(2, &raw const body) }.expect("there is room");
        let mut entered = Vec::new();
        loops.help(index, 1, |more| entered.push(more));
        loops.help(index, 1, |more| entered.push(more));
        assert_eq!(entered, [0], "the first helper has run everything");
        assert!(loops.end(index).is_null());
    }

    #[test]
    fn loops_beyond_the_maximum_are_refused_until_one_ends() {
        let loops = ParallelLoops::new(2);
        let body = |_, _| Ref::NULL;
        // SAFETY: the body outlives the loop.
        let begin = || unsafe { loops.begin(1, &raw const body) };
        let all = (0..MAX_LOOPS).map(|_| begin().expect("there is room")).collect::<Vec<_>>();
        assert_eq!(begin(), None);
        loops.run(all[3], 0);
        loops.end(all[3]);
        assert_eq!(begin(), Some(all[3]));
    }
}
