//! Streams of a device: each is a CUDA stream and a completion thread, which waits for the end of submitted
//! work. The submitting thread may poll for the end itself for a moment (spin, then block): most work ends
//! before the completion thread, and then the submitting thread, could be woken.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::device::OnComplete;
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Context, sys};
use crate::device::cuda::failure::Failure;
use crate::device::error::{DeviceError, Kind};

/// Poll time for a kernel without an estimate.
const DEFAULT_POLL_TIME: Duration = Duration::from_micros(200);
/// Maximum poll time without sleeping.
const MAX_POLL_TIME: Duration = Duration::from_millis(3);
/// Time before the expected end of a longer kernel at which its thread wakes up to poll.
const WAKE_MARGIN: Duration = Duration::from_micros(300);
/// Polls of a kernel's flag between two readings of the clock.
const POLLS_PER_CLOCK_READ: u32 = 16;
/// Minimum and maximum time that a thread parks at once while it waits for a longer kernel: the minimum near
/// the kernel's begin and end. After a longer time the caches of the CPU have lost what the next launch
/// needs.
const PARK_TIMES: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(5));
/// Interval of queries to the driver for the failure of a kernel.
const DRIVER_QUERY_INTERVAL: Duration = Duration::from_micros(50);
/// Time of spinning after which the thread yields between two polls.
const SPIN_TIME: Duration = Duration::from_micros(40);

/// The hint: see [`on_completion_hint`].
static ON_COMPLETION_HINT: OnceLock<fn(bool)> = OnceLock::new();

/// Registers a hint: `hint(true)` is called shortly before the end of work that only its stream's thread
/// awaits, `hint(false)` when the waiting activity has been notified.
pub fn on_completion_hint(hint: fn(bool)) {
    let _ = ON_COMPLETION_HINT.set(hint);
}

/// Tells the hint that a completion is imminent, until this is dropped.
struct CompletionHint(Option<fn(bool)>);

impl CompletionHint {
    fn begin() -> CompletionHint {
        CompletionHint(ON_COMPLETION_HINT.get().copied().inspect(|hint| hint(true)))
    }
}

impl Drop for CompletionHint {
    fn drop(&mut self) {
        self.0.inspect(|hint| hint(false));
    }
}

/// Estimate of the duration of a kernel in nanoseconds: an exponential moving average, 0 before the first
/// launch.
#[derive(Debug, Default)]
pub(crate) struct DurationEstimate(AtomicU64);

impl DurationEstimate {
    fn expected(&self) -> Option<Duration> {
        Some(self.0.load(Ordering::Relaxed)).filter(|it| *it > 0).map(Duration::from_nanos)
    }

    fn took(&self, time: Duration) {
        let (new, old) = (time.as_nanos() as u64, self.0.load(Ordering::Relaxed));
        let mean = match old {
            0 => new,
            // The first launches are slow: falls are weighted more than rises.
            _ if new < old => (old + 3 * new) / 4,
            _ => (3 * old + new) / 4,
        };
        self.0.store(mean.max(1), Ordering::Relaxed);
    }
}

/// Streams of a device: work on different ones may run concurrently.
pub(crate) struct StreamPool(Vec<Arc<StreamQueue>>);

/// A slot of a stream, held until its work has ended: streams are picked by their number of slots in use.
pub(crate) struct StreamSlot(Arc<StreamQueue>);

/// One stream and its thread. Kernels on one stream run in order.
pub(crate) struct StreamQueue {
    device: u32,
    context: Arc<Context>,
    /// Locked while work is submitted.
    stream: Mutex<Stream>,
    /// The same stream, for queries without the lock.
    raw: sys::CUstream,
    /// Number of slots in use.
    load: AtomicUsize,
    pending: Mutex<Sender<PendingWork>>,
    /// Events that can be used again.
    spare: Mutex<Vec<Event>>,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for StreamQueue {}
// SAFETY: streams may be used from any thread.
unsafe impl Sync for StreamQueue {}

/// A kernel or copy that was submitted, and what to do at its end.
struct PendingWork {
    marker: EndMarker,
    done: OnComplete,
    began: Instant,
    estimate: Arc<DurationEstimate>,
    what: &'static str,
    slot: StreamSlot,
}

/// The result of work, and the approximate time of its end.
struct End {
    result: Result<(), Failure>,
    at: Instant,
}

/// Result of parking until shortly before the expected end of work.
enum ParkResult {
    /// The work has ended.
    Ended(End),
    /// The time has passed.
    Over,
    /// The parked thread is needed.
    Needed,
}

/// How the end of submitted work is signalled.
pub(crate) enum EndSignal {
    /// The work itself writes 1 to [`Submission::ended`].
    ByWork,
    /// The stream must do so after the work.
    ByStream,
}

/// Parameters of submitted work.
pub(crate) struct Submission {
    /// Called at the end of the work.
    pub done: OnComplete,
    /// Flag by which the device may signal the end: memory that is shared with the host, is 0, and stays
    /// valid until `done` is called.
    pub ended: *const u32,
    /// Estimate of the duration of such work.
    pub estimate: Arc<DurationEstimate>,
    /// Name of the work in messages.
    pub what: &'static str,
}

/// How a thread waits for the end of work.
#[derive(Clone, Copy)]
pub struct WaitPolicy {
    /// Whether polling is worthwhile: the thread has nothing else to do.
    pub worthwhile: fn() -> bool,
    /// Parks the thread for a time unless it is needed; false if it is.
    pub park: Option<fn(Duration) -> bool>,
}

/// Completion handle of submitted work. If it is dropped, the completion thread waits for the end.
pub struct Completion {
    work: Option<PendingWork>,
    queue: Arc<StreamQueue>,
}

/// A stream of the driver.
pub(crate) struct Stream(pub sys::CUstream);

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: streams may be used from any thread.
unsafe impl Sync for Stream {}

impl Stream {
    /// Makes a stream that does not wait for the default stream. The context must be current.
    pub(crate) fn new() -> Result<Stream, Failure> {
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        Ok(Stream(stream))
    }

    /// Waits, after an error, until all work on the stream has ended.
    pub(crate) fn drain(&self) {
        // SAFETY: a stream of ours. The result is of no use after an error.
        unsafe { sys::cuStreamSynchronize(self.0) };
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: ours, and dropped once; the driver waits for work that is still on it.
        unsafe { sys::cuStreamDestroy_v2(self.0) };
    }
}

/// A point in a stream that can be waited for without spinning.
pub(crate) struct Event(sys::CUevent);

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: events may be used from any thread.
unsafe impl Sync for Event {}

impl Event {
    /// Makes an event. The context must be current.
    pub(crate) fn new() -> Result<Event, Failure> {
        let mut event = std::ptr::null_mut();
        let flags = sys::CUevent_flags_enum::CU_EVENT_BLOCKING_SYNC as u32
            | sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(Event(event))
    }

    /// Records the event on a stream.
    pub(crate) fn record(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0, stream.0) })
    }

    /// Polls for the end of all work before the event, until the time `until`, and while `worthwhile` is
    /// true.
    pub(crate) fn poll(&self, until: Instant, worthwhile: impl Fn() -> bool) -> Option<Result<(), Failure>> {
        let begun = Instant::now();
        loop {
            // SAFETY: an event of ours.
            match unsafe { sys::cuEventQuery(self.0) } {
                sys::CUresult::CUDA_ERROR_NOT_READY => {}
                other => return Some(driver::check(other)),
            }
            let now = Instant::now();
            if now >= until || !worthwhile() {
                return None;
            }
            if now - begun > SPIN_TIME {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Sleeps until all work before the event has ended.
    pub(crate) fn wait(&self) -> Result<(), Failure> {
        // SAFETY: an event of ours.
        driver::check(unsafe { sys::cuEventSynchronize(self.0) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: ours, and dropped once.
        unsafe { sys::cuEventDestroy_v2(self.0) };
    }
}

/// Measures how long work on a stream takes on the device.
pub(crate) struct KernelTimer([sys::CUevent; 2]);

// SAFETY: events may be used from any thread.
unsafe impl Send for KernelTimer {}
// SAFETY: events may be used from any thread.
unsafe impl Sync for KernelTimer {}

impl KernelTimer {
    /// Makes a timer; `None` if the driver is too old. The context must be current.
    pub(crate) fn new() -> Option<KernelTimer> {
        // Older drivers lack `cuEventElapsedTime_v2`.
        const MIN_DRIVER_VERSION: i32 = 12080;
        if driver::driver_version()? < MIN_DRIVER_VERSION {
            return None;
        }
        let mut events = [std::ptr::null_mut(); 2];
        for event in &mut events {
            // SAFETY: a context is current; the result goes to a local.
            driver::check(unsafe { sys::cuEventCreate(event, 0) }).ok()?;
        }
        Some(KernelTimer(events))
    }

    /// Starts measuring on a stream.
    pub(crate) fn start(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0[0], stream.0) })
    }

    /// Stops measuring.
    pub(crate) fn stop(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0[1], stream.0) })
    }

    /// The measured time. The work must have ended, or this waits for it.
    pub(crate) fn nanoseconds(&self) -> Option<u64> {
        let mut milliseconds = 0.0;
        // SAFETY: events of ours; the result goes to a local.
        unsafe {
            driver::check(sys::cuEventSynchronize(self.0[1])).ok()?;
            driver::check(sys::cuEventElapsedTime_v2(&mut milliseconds, self.0[0], self.0[1])).ok()?;
        }
        Some((f64::from(milliseconds) * 1e6) as u64)
    }
}

impl Drop for KernelTimer {
    fn drop(&mut self) {
        for event in self.0 {
            // SAFETY: ours, and dropped once.
            unsafe { sys::cuEventDestroy_v2(event) };
        }
    }
}

impl StreamPool {
    /// Makes `count` streams of a device; `what` is part of the names of their threads.
    pub(crate) fn new(
        context: &Arc<Context>,
        ordinal: u32,
        what: &str,
        count: usize,
    ) -> Result<StreamPool, DeviceError> {
        let name = |index| format!("apg-{what}{ordinal}-{index}");
        let queues = (0..count).map(|index| StreamQueue::new(context, ordinal, name(index)).map(Arc::new));
        queues.collect::<Result<_, _>>().map(StreamPool)
    }

    /// Takes a slot of the stream with the fewest slots in use. The caller takes it before it submits work,
    /// so that activities that start together get different streams.
    pub(crate) fn pick(&self) -> StreamSlot {
        loop {
            let mut best = (&self.0[0], self.0[0].load.load(Ordering::Relaxed));
            for queue in &self.0[1..] {
                let load = queue.load.load(Ordering::Relaxed);
                if load < best.1 {
                    best = (queue, load);
                }
            }
            let (queue, load) = best;
            let taken = queue.load.compare_exchange(load, load + 1, Ordering::Relaxed, Ordering::Relaxed);
            if taken.is_ok() {
                return StreamSlot(Arc::clone(queue));
            }
        }
    }
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        self.0.load.fetch_sub(1, Ordering::Relaxed);
    }
}

impl StreamQueue {
    fn new(context: &Arc<Context>, ordinal: u32, name: String) -> Result<StreamQueue, DeviceError> {
        let error = |failure| DeviceError::driver(&format!("CUDA{ordinal}"), "make a stream", &failure);
        context.enter()?;
        let stream = Stream::new().map_err(error)?;
        let (pending, receiver) = channel();
        let own = Arc::clone(context);
        std::thread::Builder::new().name(name).spawn(move || complete(&own, &receiver)).map_err(|error| {
            DeviceError::new(Kind::Internal, format!("no thread for CUDA{ordinal}: {error}"))
        })?;
        Ok(StreamQueue {
            device: ordinal,
            context: Arc::clone(context),
            raw: stream.0,
            stream: Mutex::new(stream),
            load: AtomicUsize::default(),
            pending: Mutex::new(pending),
            spare: Mutex::default(),
        })
    }
}

impl StreamSlot {
    /// Runs `start`, which submits work to the stream; `order.done` is called when the work has ended, or
    /// with its error. The work of one call is contiguous on the stream.
    pub(crate) fn submit(
        self,
        start: impl FnOnce(&Stream) -> Result<EndSignal, Failure>,
        order: Submission,
        describe: impl FnOnce(Failure) -> DeviceError,
    ) -> Option<Completion> {
        let Submission { done, ended, estimate, what } = order;
        let queue = Arc::clone(&self.0);
        let started = {
            let stream = queue.stream.lock();
            // After an error, work that has begun must end before `done` releases memory.
            start(&stream)
                .and_then(|signal| match signal {
                    EndSignal::ByWork => Ok(EndMarker::Flag(ended)),
                    EndSignal::ByStream => EndMarker::after(&stream, ended, &queue.spare),
                })
                .inspect_err(|_| stream.drain())
        };
        match started {
            Ok(marker) => {
                // The clock is read while the device works already.
                let began = Instant::now();
                let work = PendingWork { marker, done, began, estimate, what, slot: self };
                Some(Completion { work: Some(work), queue })
            }
            Err(failure) => {
                drop(self);
                done(Err(describe(failure)));
                None
            }
        }
    }
}

/// Marker by which the host observes the end of work.
enum EndMarker {
    /// The device writes 1 there.
    Flag(*const u32),
    Event(Event),
}

// SAFETY: the flag is in memory that stays as long as the launch; events may be used from any thread.
unsafe impl Send for EndMarker {}

impl EndMarker {
    /// After all that is on the stream now: a flag where the driver writes one, which is seen soonest.
    fn after(stream: &Stream, ended: *const u32, spare: &Mutex<Vec<Event>>) -> Result<EndMarker, Failure> {
        // SAFETY: memory that the device knows by the same address.
        let written = unsafe { sys::cuStreamWriteValue32_v2(stream.0, ended as u64, 1, 0) };
        if written == sys::CUresult::CUDA_SUCCESS {
            return Ok(EndMarker::Flag(ended));
        }
        EndMarker::event(stream, spare)
    }

    fn event(stream: &Stream, spare: &Mutex<Vec<Event>>) -> Result<EndMarker, Failure> {
        let spare = spare.lock().pop();
        let event = spare.map_or_else(Event::new, Ok)?;
        event.record(stream)?;
        Ok(EndMarker::Event(event))
    }
}

impl Completion {
    /// Polls for the end for a moment, while there is nothing else to do; parks before that if the work takes
    /// long. Leaves the rest to the thread of the stream.
    pub fn poll(mut self, policy: WaitPolicy) {
        let Some(work) = self.work.take() else { return };
        let expected = work.estimate.expected();
        let until = match (expected, policy.park) {
            (Some(expected), Some(park)) if expected > MAX_POLL_TIME => match work.park(expected, park) {
                ParkResult::Ended(end) => return work.complete_with(end),
                ParkResult::Over => Instant::now() + 3 * WAKE_MARGIN,
                ParkResult::Needed => work.began,
            },
            // Work that is known to take long is left to its thread at once.
            (Some(expected), None) if expected > MAX_POLL_TIME => work.began,
            (Some(expected), _) => {
                work.began + (2 * expected + DEFAULT_POLL_TIME).min(MAX_POLL_TIME + DEFAULT_POLL_TIME)
            }
            (None, _) => work.began + DEFAULT_POLL_TIME,
        };
        match work.poll(until, policy.worthwhile) {
            Some(end) => work.complete_with(end),
            None => self.work = Some(work),
        }
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        let Some(work) = self.work.take() else { return };
        if let Err(lost) = self.queue.pending.lock().send(work) {
            let ended = DeviceError::new(Kind::Internal, "the thread of a device stream has ended");
            (lost.0.done)(Err(ended));
        }
    }
}

impl PendingWork {
    /// Polls, until `until` and as long as `worthwhile`, whether the work has ended.
    fn poll(&self, until: Instant, worthwhile: impl Fn() -> bool) -> Option<End> {
        let flag = match &self.marker {
            EndMarker::Flag(flag) => *flag,
            EndMarker::Event(event) => {
                self.slot.0.context.enter().ok()?;
                let result = event.poll(until, worthwhile)?;
                return Some(End { result, at: Instant::now() });
            }
        };
        let begun = Instant::now();
        let (mut queried, mut at) = (begun, begun);
        loop {
            for _ in 0..POLLS_PER_CLOCK_READ {
                // SAFETY: memory that stays as long as the launch, and that only the device writes.
                if unsafe { flag.read_volatile() } == 1 {
                    fence(Ordering::Acquire);
                    // Reading the clock takes longer than the last few polls.
                    return Some(End { result: Ok(()), at });
                }
                std::hint::spin_loop();
            }
            let now = Instant::now();
            at = now;
            if now - queried > DRIVER_QUERY_INTERVAL {
                queried = now;
                if let Some(end) = self.query_driver() {
                    return Some(end);
                }
            }
            if now >= until || !worthwhile() {
                return None;
            }
            if now - begun > SPIN_TIME {
                std::thread::yield_now();
            }
        }
    }

    /// Queries the driver: a kernel that fails sets no flag.
    fn query_driver(&self) -> Option<End> {
        self.slot.0.context.enter().ok()?;
        // SAFETY: a stream of ours.
        match unsafe { sys::cuStreamQuery(self.slot.0.raw) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => None,
            other => Some(End { result: driver::check(other), at: Instant::now() }),
        }
    }

    /// Parks until shortly before the expected end, in steps, so that work that is faster than expected is
    /// noticed, and as long as `park` allows it.
    fn park(&self, expected: Duration, park: impl Fn(Duration) -> bool) -> ParkResult {
        // By the clock: each sleep takes longer than requested, and all of them together would take longer
        // than the kernel.
        let until = self.began + expected.saturating_sub(WAKE_MARGIN);
        let begun = Instant::now();
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            if let Some(end) = self.poll(self.began, || false).or_else(|| self.query_driver()) {
                return ParkResult::Ended(end);
            }
            // The work may be much faster than before.
            let time = (left / 16).min(begun.elapsed()).clamp(PARK_TIMES.0, PARK_TIMES.1);
            if !park(left.min(time)) {
                return ParkResult::Needed;
            }
        }
        ParkResult::Over
    }

    /// Parks until shortly before the expected end, then polls, then sleeps until the end.
    fn wait(&mut self) -> (End, Option<CompletionHint>) {
        let sleep = |time| {
            std::thread::sleep(time);
            true
        };
        let expected = self.estimate.expected().unwrap_or_default();
        if let ParkResult::Ended(end) = self.park(expected, sleep) {
            return (end, None);
        }
        let near = CompletionHint::begin();
        if let Some(end) = self.poll(Instant::now() + 3 * WAKE_MARGIN, || true) {
            return (end, Some(near));
        }
        drop(near);
        // As after a failed start.
        let result = self.sleep().inspect_err(|_| self.slot.0.stream.lock().drain());
        (End { result, at: Instant::now() }, None)
    }

    fn sleep(&mut self) -> Result<(), Failure> {
        if matches!(self.marker, EndMarker::Flag(_)) {
            self.marker = EndMarker::event(&self.slot.0.stream.lock(), &self.slot.0.spare)?;
        }
        match &self.marker {
            EndMarker::Event(event) => event.wait(),
            EndMarker::Flag(_) => Ok(()),
        }
    }

    fn complete_with(self, end: End) {
        self.estimate.took(end.at.saturating_duration_since(self.began));
        let result = end.result.map_err(|failure| {
            let what = format!("finish a {}", self.what);
            DeviceError::driver(&format!("CUDA{}", self.slot.0.device), &what, &failure)
        });
        self.end(result);
    }

    fn end(self, result: Result<(), DeviceError>) {
        if let EndMarker::Event(event) = self.marker {
            self.slot.0.spare.lock().push(event);
        }
        // `done` may submit more work.
        drop(self.slot);
        (self.done)(result);
    }
}

/// The thread of a stream.
fn complete(context: &Context, pending: &Receiver<PendingWork>) {
    let entered = context.enter();
    for mut work in pending {
        match &entered {
            Ok(()) => {
                let (end, _near) = work.wait();
                work.complete_with(end);
            }
            Err(error) => work.end(Err(error.clone())),
        }
    }
}
