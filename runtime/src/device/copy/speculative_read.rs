//! Speculative reads: short copies from the device to the host that start before the program requests them.
//! Many programs run a kernel in a loop and read a few numbers after each launch. A predicted read is
//! submitted behind the kernel on its stream, so that the data have arrived when the kernel's end is known.
//! Otherwise the program would have to submit a copy, and wait for the device, a second time.
//!
//! Only the request is predicted: the same read followed the last launches. The values are always right: a
//! read is used only if no other write to the device's memory was in progress when the kernel began, and none
//! has begun since.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::device::copy::copy_kernel::Fetch;
use crate::device::copy::request::Download;
use crate::device::copy::sync_copy::StagingBuffer;
use crate::device::{Device, OnComplete};

/// Maximum size of a speculative read; the second wait is negligible for longer reads.
const MAX_READ_SIZE: u64 = 64 << 10;
/// Consecutive launches that must have been followed by the same read.
const MIN_REPETITIONS: u32 = 2;
/// Binary logarithm of the maximum number of launches before a failed prediction is tried again.
const MAX_BACKOFF_EXPONENT: u32 = 12;

/// Speculative reads of a device.
#[derive(Default)]
pub(crate) struct SpeculativeReads {
    writes: Arc<Writes>,
    state: Mutex<SpeculationState<StagingBuffer>>,
}

/// Counts of writes to a device's memory, by kernels and copies, that have begun and ended.
#[derive(Default)]
struct Writes {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// A write to a device's memory, until it is dropped.
pub(crate) struct Writing {
    writes: Arc<Writes>,
    number: u64,
}

impl Writing {
    /// Whether no other write was in progress when this one began; later ones may have begun since.
    fn is_alone(&self) -> bool {
        self.writes.ended.load(Ordering::SeqCst) == self.number - 1
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.writes.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// A kernel that is about to begin.
pub(crate) struct Reader {
    kernel: usize,
    number: u64,
    is_alone: bool,
    rails: Vec<Range<u64>>,
}

impl Reader {
    /// `kernel` identifies the kernel; `rails` are its global rails, in an order that is the same at each
    /// launch.
    pub(crate) fn new(kernel: usize, writing: &Writing, rails: impl Iterator<Item = Range<u64>>) -> Reader {
        Reader { kernel, number: writing.number, is_alone: writing.is_alone(), rails: rails.collect() }
    }
}

/// A read submitted behind a kernel.
pub(crate) struct PendingRead {
    number: u64,
    range: Range<u64>,
    staging: StagingBuffer,
}

impl Device {
    /// Begins a write to the device's memory.
    pub(crate) fn writing(&self) -> Writing {
        let writes = Arc::clone(&self.speculative_reads.writes);
        let number = writes.begun.fetch_add(1, Ordering::SeqCst) + 1;
        Writing { writes, number }
    }

    /// Wraps `done` of a write to the device's memory that begins now.
    pub(crate) fn writes(&self, done: OnComplete) -> OnComplete {
        crate::device::copy::sync_copy::keeping(self.writing(), done)
    }

    /// Notes that a kernel begins. Returns the predicted read and its copy kernel, if there is a prediction.
    pub(crate) fn start_speculative_read(self: &Arc<Self>, reader: Reader) -> Option<(PendingRead, Fetch)> {
        if reader.rails.is_empty() {
            return None;
        }
        let number = reader.number;
        let range = self.speculative_reads.state.lock().begin_launch(reader)?;
        let bytes = (range.end - range.start) as usize;
        let staging = self.staging_for(bytes)?;
        let fetch = self.fetch(range.start, staging.address() as u64, bytes as u32)?;
        Some((PendingRead { number, range, staging }, fetch))
    }

    /// The kernel has ended.
    pub(crate) fn arrived(&self, ahead: PendingRead) {
        self.speculative_reads.state.lock().arrived(ahead.number, ahead.range, ahead.staging);
    }

    /// Serves a read by the program from the speculative read, and calls `done`. Returns `done` if there is
    /// no such speculative read.
    ///
    /// # Safety
    /// The target is valid, and nothing else accesses it.
    pub(crate) unsafe fn take_speculative_read(
        &self,
        piece: Download,
        done: OnComplete,
    ) -> Option<OnComplete> {
        let range = piece.source..piece.source + piece.bytes;
        if piece.bytes > MAX_READ_SIZE {
            return Some(done);
        }
        let staging = {
            let mut state = self.speculative_reads.state.lock();
            state.take(range, self.speculative_reads.writes.begun.load(Ordering::SeqCst))
        };
        let Some(staging) = staging else { return Some(done) };
        // SAFETY: the staging buffer holds that many bytes; the caller vouches for the target.
        unsafe { std::ptr::copy_nonoverlapping(staging.address(), piece.target, piece.bytes as usize) };
        drop(staging);
        done(Ok(()));
        None
    }

    /// Discards speculative reads, since memory is about to be released.
    pub(crate) fn discard_reads(&self) {
        self.speculative_reads.state.lock().discard();
    }
}

/// Predictors, and the last launch. `E` is the type of the data read.
struct SpeculationState<E> {
    predictors: HashMap<usize, AccessPredictor>,
    last: Option<Last<E>>,
}

impl<E> Default for SpeculationState<E> {
    fn default() -> SpeculationState<E> {
        SpeculationState { predictors: HashMap::new(), last: None }
    }
}

/// A read, relative to a global rail of the kernel, which is given by its index: programs pass other rails at
/// other launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    rail: usize,
    offset: u64,
    bytes: u64,
}

/// Predicts the read that follows the launches of a kernel.
struct AccessPredictor {
    read: Read,
    /// Number of consecutive launches that the read has followed.
    times: u32,
    /// Number of consecutive failed predictions.
    failures: u32,
    /// Number of launches before the next prediction.
    pause: u32,
}

/// The kernel that began last.
struct Last<E> {
    launch: Reader,
    was_read: bool,
    /// Whether a read was predicted, but not requested.
    is_in_vain: bool,
    early: Option<(Range<u64>, E)>,
}

impl<E> SpeculationState<E> {
    /// Notes that a kernel begins. Returns the read to submit behind it, if one is predicted.
    fn begin_launch(&mut self, launch: Reader) -> Option<Range<u64>> {
        if let Some(last) = self.last.take()
            && let Some(predictor) = self.predictors.get_mut(&last.launch.kernel)
        {
            predictor.end_launch(last.was_read, last.is_in_vain);
        }
        let range = self
            .predictors
            .get_mut(&launch.kernel)
            .filter(|_| launch.is_alone)
            .and_then(|predictor| predictor.range(&launch.rails));
        self.last = Some(Last { launch, was_read: false, is_in_vain: range.is_some(), early: None });
        range
    }

    /// The read behind the kernel that began as write `number` has ended.
    fn arrived(&mut self, number: u64, range: Range<u64>, early: E) {
        if let Some(last) = self.last.as_mut().filter(|last| last.launch.number == number) {
            last.early = Some((range, early));
        }
    }

    /// The program requests a read, when `begun` writes have begun.
    fn take(&mut self, range: Range<u64>, begun: u64) -> Option<E> {
        let last = self.last.as_mut().filter(|last| last.launch.number == begun)?;
        if !last.was_read {
            // Of several reads, only the first is predicted.
            last.was_read = true;
            let holds = |rail: &Range<u64>| rail.start <= range.start && range.end <= rail.end;
            if let Some(rail) = last.launch.rails.iter().position(holds) {
                let offset = range.start - last.launch.rails[rail].start;
                let read = Read { rail, offset, bytes: range.end - range.start };
                let predictor = AccessPredictor { read, times: 0, failures: 0, pause: 0 };
                self.predictors.entry(last.launch.kernel).or_insert(predictor).record_read(read);
            }
        }
        let (_, early) = last.early.take_if(|(early, _)| *early == range)?;
        last.is_in_vain = false;
        Some(early)
    }

    /// Discards the data that were read.
    fn discard(&mut self) {
        if let Some(last) = &mut self.last {
            last.early = None;
        }
    }
}

impl AccessPredictor {
    /// Range of the predicted read behind a launch with these global rails.
    fn range(&mut self, rails: &[Range<u64>]) -> Option<Range<u64>> {
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        let rail = rails.get(self.read.rail).filter(|_| self.times >= MIN_REPETITIONS)?;
        let start = rail.start + self.read.offset;
        Some(start..start + self.read.bytes).filter(|range| range.end <= rail.end)
    }

    fn record_read(&mut self, read: Read) {
        self.times = if self.read == read { self.times.saturating_add(1) } else { 1 };
        self.read = read;
    }

    /// Records, when the next kernel begins, whether the program has read, and whether the prediction failed.
    fn end_launch(&mut self, was_read: bool, in_vain: bool) {
        if !was_read {
            self.times = 0;
        }
        if in_vain {
            self.times = 0;
            self.failures = (self.failures + 1).min(MAX_BACKOFF_EXPONENT);
            self.pause = 1 << self.failures;
        } else if was_read && self.times > MIN_REPETITIONS {
            self.failures = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches kernel 7 as write `number` with two rails, the second at `at`. Returns the predicted read.
    fn launch(state: &mut SpeculationState<u64>, number: u64, at: u64) -> Option<Range<u64>> {
        let launch = Reader { kernel: 7, number, is_alone: true, rails: vec![0..1000, at..at + 100] };
        let range = state.begin_launch(launch);
        if let Some(range) = &range {
            state.arrived(number, range.clone(), number);
        }
        range
    }

    #[test]
    fn repeated_read_is_predicted_for_other_rails() {
        let mut state = SpeculationState::default();
        for (number, at) in [(1, 2000), (2, 3000)] {
            assert_eq!(launch(&mut state, number, at), None);
            assert_eq!(state.take(at + 8..at + 24, number), None);
        }
        assert_eq!(launch(&mut state, 3, 5000), Some(5008..5024));
        assert_eq!(state.take(5008..5024, 3), Some(3));
        // The data can be taken once only.
        assert_eq!(state.take(5008..5024, 3), None);
        assert_eq!(launch(&mut state, 4, 2000), Some(2008..2024));
        // Other reads before it, and a longer one from the same place.
        assert_eq!((state.take(0..8, 4), state.take(2008..2032, 4)), (None, None));
        assert_eq!(state.take(2008..2024, 4), Some(4));
    }

    #[test]
    fn stale_reads_are_discarded() {
        let mut state = SpeculationState::default();
        for number in 1..=2 {
            launch(&mut state, number, 2000);
            state.take(2000..2008, number);
        }
        assert_eq!(launch(&mut state, 3, 2000), Some(2000..2008));
        assert_eq!(state.take(2000..2008, 4), None);
        // Another write was under way as the kernel began.
        let beside = Reader { kernel: 7, number: 5, is_alone: false, rails: vec![0..1000, 2000..2100] };
        assert_eq!(state.begin_launch(beside), None);
        assert_eq!(state.take(2000..2008, 5), None);
    }

    #[test]
    fn failed_predictions_back_off() {
        let mut state = SpeculationState::default();
        let mut take_speculative_read = 0;
        for number in 1..=10_000 {
            take_speculative_read += u64::from(launch(&mut state, number, 2000).is_some());
            // Every third launch another part is read.
            let offset = if number % 3 == 0 { 50 } else { 0 };
            state.take(2000 + offset..2008 + offset, number);
        }
        assert!(take_speculative_read < 30, "{take_speculative_read}");
        // And a rail that has become shorter is not read past its end.
        let mut state = SpeculationState::default();
        for number in 1..=2 {
            launch(&mut state, number, 2000);
            state.take(2092..2100, number);
        }
        let short = Reader { kernel: 7, number: 3, is_alone: true, rails: vec![0..1000, 2000..2096] };
        assert_eq!(state.begin_launch(short), None);
    }

    #[test]
    fn writes_detect_concurrent_writes() {
        let writes = Arc::new(Writes::default());
        let begin = || {
            let number = writes.begun.fetch_add(1, Ordering::SeqCst) + 1;
            Writing { writes: Arc::clone(&writes), number }
        };
        let first = begin();
        let second = begin();
        assert!(first.is_alone() && !second.is_alone());
        drop(first);
        drop(second);
        assert!(begin().is_alone());
    }
}
