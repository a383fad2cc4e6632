//! Queues of kernels or copies: a stream, and a thread that sleeps until what was put on it has ended. The
//! thread that puts it there may look for the end itself for a moment: most of it ends sooner than another
//! thread could be woken, twice.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::device::Done;
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Context, sys};
use crate::device::cuda::failure::Failure;
use crate::device::error::{DeviceError, Kind};

/// How long a kernel is looked at before a thread sleeps, if nothing is known of it.
const LOOK: Duration = Duration::from_micros(200);
/// The longest that is looked without sleeping.
const LONGEST_LOOK: Duration = Duration::from_millis(3);
/// How long before the expected end of a longer kernel its thread wakes up to look.
const EARLY: Duration = Duration::from_micros(300);
/// Looks at the flag of a kernel between looks at the clock.
const LOOKS: u32 = 16;
/// How long whoever waits for a longer kernel sleeps at once, when its end or beginning is near and when both
/// are far. After a longer sleep an activity is slow to go on: its processor has forgotten what the next
/// launch needs (35 us more for one after 6 ms, on an H100).
const NAPS: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(5));
/// How often the driver is asked whether a kernel has failed.
const ASK: Duration = Duration::from_micros(50);
/// How long the processor is kept before others may have it between two looks.
const SPIN: Duration = Duration::from_micros(40);

/// Told that the end of a kernel or copy, which nobody but a thread of its queue looks at, is near, and then
/// that it has been dealt with.
static BEFORE_ENDS: OnceLock<fn(bool)> = OnceLock::new();

/// `tell(true)` is called shortly before the end of work on a device that is left to its queue, `tell(false)`
/// when whoever waits for it has been told.
pub fn before_ends(tell: fn(bool)) {
    let _ = BEFORE_ENDS.set(tell);
}

/// The end of some work is near, until it is dropped.
struct Near(Option<fn(bool)>);

impl Near {
    fn begin() -> Near {
        Near(BEFORE_ENDS.get().copied().inspect(|tell| tell(true)))
    }
}

impl Drop for Near {
    fn drop(&mut self) {
        self.0.inspect(|tell| tell(false));
    }
}

/// How long the launches of a kernel have taken, in nanoseconds: a running mean, 0 if there was none.
#[derive(Debug, Default)]
pub struct Pace(AtomicU64);

impl Pace {
    fn expected(&self) -> Option<Duration> {
        Some(self.0.load(Ordering::Relaxed)).filter(|it| *it > 0).map(Duration::from_nanos)
    }

    fn took(&self, time: Duration) {
        let (new, old) = (time.as_nanos() as u64, self.0.load(Ordering::Relaxed));
        let mean = match old {
            0 => new,
            // The first ones are slow: what they teach is soon forgotten.
            _ if new < old => (old + 3 * new) / 4,
            _ => (3 * old + new) / 4,
        };
        self.0.store(mean.max(1), Ordering::Relaxed);
    }
}

/// Some queues of a device: what is on different ones may run side by side.
pub struct Queues(Vec<Arc<Queue>>);

/// A place on a queue, kept until the work that takes it has ended: queues are picked by how many are taken.
pub struct Turn(Arc<Queue>);

/// One stream. Kernels on one stream run after each other.
pub struct Queue {
    device: u32,
    context: Arc<Context>,
    /// Locked while something is put on it.
    stream: Mutex<Stream>,
    /// The same, to be asked.
    raw: sys::CUstream,
    /// Turns that are taken.
    load: AtomicUsize,
    pending: Mutex<Sender<Ending>>,
    /// Events that can be used again.
    spare: Mutex<Vec<Event>>,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

/// What happens at the end of a kernel or a copy.
struct Ending {
    mark: Mark,
    done: Done,
    began: Instant,
    pace: Arc<Pace>,
    what: &'static str,
    turn: Turn,
}

/// How work has ended, and about when.
struct End {
    result: Result<(), Failure>,
    at: Instant,
}

/// How the time until shortly before the expected end of some work has passed.
enum Nap {
    /// The work has ended.
    Ended(End),
    /// Asleep, all of it.
    Over,
    /// The thread that slept is needed.
    Disturbed,
}

/// Whether what has been put on a stream says itself that it has ended.
pub enum Marks {
    /// It writes 1 to [`Order::ended`].
    Itself,
    /// The stream is to do so behind it.
    Not,
}

/// What belongs to work on a stream.
pub struct Order {
    /// Called at its end.
    pub done: Done,
    /// Where the device may say so: memory that it shares with the host, which is 0 and stays until `done` is
    /// called.
    pub ended: *const u32,
    /// How long such work takes.
    pub pace: Arc<Pace>,
    /// For people.
    pub what: &'static str,
}

/// What the thread that waits for the end of some work does meanwhile.
#[derive(Clone, Copy)]
pub struct Patience {
    /// There is nothing else to do.
    pub worthwhile: fn() -> bool,
    /// Sleeps for so long, if nobody needs the thread; whether that is so.
    pub doze: Option<fn(Duration) -> bool>,
}

/// A kernel or a copy on its way. Dropped, it leaves the rest to the thread of its queue.
pub struct Flight {
    ending: Option<Ending>,
    queue: Arc<Queue>,
}

/// A stream of the driver.
pub struct Stream(pub sys::CUstream);

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream that does not wait for the default stream. The context must be current.
    pub fn new() -> Result<Stream, Failure> {
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        Ok(Stream(stream))
    }

    /// After an error: waits until nothing of what was put on it goes on.
    pub fn drain(&self) {
        // SAFETY: a stream of ours. What it says is of no use any more.
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
pub struct Event(sys::CUevent);

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// A new event. The context must be current.
    pub fn new() -> Result<Event, Failure> {
        let mut event = std::ptr::null_mut();
        let flags = sys::CUevent_flags_enum::CU_EVENT_BLOCKING_SYNC as u32
            | sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(Event(event))
    }

    /// Now, on that stream.
    pub fn record(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0, stream.0) })
    }

    /// Looks, until then and as long as `worthwhile` says so, whether all that was on the stream has ended.
    pub fn look(&self, until: Instant, worthwhile: impl Fn() -> bool) -> Option<Result<(), Failure>> {
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
            if now - begun > SPIN {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }

    /// Sleeps until all that was on the stream has ended.
    pub fn wait(&self) -> Result<(), Failure> {
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

/// Tells how long work on a stream takes on the device.
pub struct Stopwatch([sys::CUevent; 2]);

// SAFETY: events may be used from any thread.
unsafe impl Send for Stopwatch {}
// SAFETY: as above.
unsafe impl Sync for Stopwatch {}

impl Stopwatch {
    /// None where the driver has none. The context must be current.
    pub fn new() -> Option<Stopwatch> {
        // Older ones do not have the function that this binding of the driver calls.
        const NEEDED: i32 = 12080;
        if driver::driver_version()? < NEEDED {
            return None;
        }
        let mut events = [std::ptr::null_mut(); 2];
        for event in &mut events {
            // SAFETY: a context is current; the result goes to a local.
            driver::check(unsafe { sys::cuEventCreate(event, 0) }).ok()?;
        }
        Some(Stopwatch(events))
    }

    /// What comes next on the stream is timed.
    pub fn start(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0[0], stream.0) })
    }

    /// What comes next is not.
    pub fn stop(&self, stream: &Stream) -> Result<(), Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0[1], stream.0) })
    }

    /// How long it took; the work has ended.
    pub fn nanoseconds(&self) -> Option<u64> {
        let mut milliseconds = 0.0;
        // SAFETY: events of ours; the result goes to a local.
        unsafe {
            driver::check(sys::cuEventSynchronize(self.0[1])).ok()?;
            driver::check(sys::cuEventElapsedTime_v2(&mut milliseconds, self.0[0], self.0[1])).ok()?;
        }
        Some((f64::from(milliseconds) * 1e6) as u64)
    }
}

impl Drop for Stopwatch {
    fn drop(&mut self) {
        for event in self.0 {
            // SAFETY: ours, and dropped once.
            unsafe { sys::cuEventDestroy_v2(event) };
        }
    }
}

impl Queues {
    /// So many queues of a device, whose threads are called after what they are for.
    pub fn new(
        context: &Arc<Context>,
        ordinal: u32,
        what: &str,
        count: usize,
    ) -> Result<Queues, DeviceError> {
        let name = |index| format!("apg-{what}{ordinal}-{index}");
        let queues = (0..count).map(|index| Queue::new(context, ordinal, name(index)).map(Arc::new));
        queues.collect::<Result<_, _>>().map(Queues)
    }

    /// A turn on the queue with the least to do. It is taken before anything is put there: activities that
    /// start together find queues of their own.
    pub fn pick(&self) -> Turn {
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
                return Turn(Arc::clone(queue));
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.load.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Queue {
    fn new(context: &Arc<Context>, ordinal: u32, name: String) -> Result<Queue, DeviceError> {
        let error = |failure| DeviceError::driver(&format!("CUDA{ordinal}"), "make a queue", &failure);
        context.enter()?;
        let stream = Stream::new().map_err(error)?;
        let (pending, receiver) = channel();
        let own = Arc::clone(context);
        std::thread::Builder::new().name(name).spawn(move || complete(&own, &receiver)).map_err(|error| {
            DeviceError::new(Kind::Internal, format!("no thread for CUDA{ordinal}: {error}"))
        })?;
        Ok(Queue {
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

impl Turn {
    /// Runs `start`, which puts work on the stream; `order.done` is called when that work has ended, or with
    /// its error. Work of several callers is not mixed.
    pub fn submit(
        self,
        start: impl FnOnce(&Stream) -> Result<Marks, Failure>,
        order: Order,
        describe: impl FnOnce(Failure) -> DeviceError,
    ) -> Option<Flight> {
        let Order { done, ended, pace, what } = order;
        let queue = Arc::clone(&self.0);
        let started = {
            let stream = queue.stream.lock();
            // What has begun must not go on when `done` gives memory back.
            start(&stream)
                .and_then(|marks| match marks {
                    Marks::Itself => Ok(Mark::Flag(ended)),
                    Marks::Not => Mark::after(&stream, ended, &queue.spare),
                })
                .inspect_err(|_| stream.drain())
        };
        match started {
            Ok(mark) => {
                // Asked for now, while the device is at work.
                let began = Instant::now();
                let ending = Ending { mark, done, began, pace, what, turn: self };
                Some(Flight { ending: Some(ending), queue })
            }
            Err(failure) => {
                drop(self);
                done(Err(describe(failure)));
                None
            }
        }
    }
}

/// How the end of a kernel shows.
enum Mark {
    /// The device writes 1 there.
    Flag(*const u32),
    Event(Event),
}

// SAFETY: the flag is in memory that stays as long as the launch; events may be used from any thread.
unsafe impl Send for Mark {}

impl Mark {
    /// After all that is on the stream now: a flag where the driver writes one, which is seen soonest.
    fn after(stream: &Stream, ended: *const u32, spare: &Mutex<Vec<Event>>) -> Result<Mark, Failure> {
        // SAFETY: memory that the device knows by the same address.
        let written = unsafe { sys::cuStreamWriteValue32_v2(stream.0, ended as u64, 1, 0) };
        if written == sys::CUresult::CUDA_SUCCESS {
            return Ok(Mark::Flag(ended));
        }
        Mark::event(stream, spare)
    }

    fn event(stream: &Stream, spare: &Mutex<Vec<Event>>) -> Result<Mark, Failure> {
        let spare = spare.lock().pop();
        let event = spare.map_or_else(Event::new, Ok)?;
        event.record(stream)?;
        Ok(Mark::Event(event))
    }
}

impl Flight {
    /// Looks for a moment, as long as there is nothing else to do, whether the kernel has ended; sleeps
    /// before that if it takes long. Leaves it to the thread of the queue if it has not.
    pub fn look(mut self, patience: Patience) {
        let Some(ending) = self.ending.take() else { return };
        let expected = ending.pace.expected();
        let until = match (expected, patience.doze) {
            (Some(expected), Some(doze)) if expected > LONGEST_LOOK => match ending.doze(expected, doze) {
                Nap::Ended(end) => return ending.happen(end),
                Nap::Over => Instant::now() + 3 * EARLY,
                Nap::Disturbed => ending.began,
            },
            // One that is known to take long is left to its thread at once.
            (Some(expected), None) if expected > LONGEST_LOOK => ending.began,
            (Some(expected), _) => ending.began + (2 * expected + LOOK).min(LONGEST_LOOK + LOOK),
            (None, _) => ending.began + LOOK,
        };
        match ending.look(until, patience.worthwhile) {
            Some(end) => ending.happen(end),
            None => self.ending = Some(ending),
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let Some(ending) = self.ending.take() else { return };
        if let Err(lost) = self.queue.pending.lock().send(ending) {
            let ended = DeviceError::new(Kind::Internal, "the thread of a device queue has ended");
            (lost.0.done)(Err(ended));
        }
    }
}

impl Ending {
    /// Looks, until then and as long as `worthwhile` says so, whether the work has ended.
    fn look(&self, until: Instant, worthwhile: impl Fn() -> bool) -> Option<End> {
        let flag = match &self.mark {
            Mark::Flag(flag) => *flag,
            Mark::Event(event) => {
                self.turn.0.context.enter().ok()?;
                let result = event.look(until, worthwhile)?;
                return Some(End { result, at: Instant::now() });
            }
        };
        let begun = Instant::now();
        let (mut asked, mut at) = (begun, begun);
        loop {
            for _ in 0..LOOKS {
                // SAFETY: memory that stays as long as the launch, and that only the device writes.
                if unsafe { flag.read_volatile() } == 1 {
                    fence(Ordering::Acquire);
                    // The clock takes longer than the last few looks.
                    return Some(End { result: Ok(()), at });
                }
                std::hint::spin_loop();
            }
            let now = Instant::now();
            at = now;
            if now - asked > ASK {
                asked = now;
                if let Some(end) = self.ask() {
                    return Some(end);
                }
            }
            if now >= until || !worthwhile() {
                return None;
            }
            if now - begun > SPIN {
                std::thread::yield_now();
            }
        }
    }

    /// Asks the driver: a kernel that fails writes nothing.
    fn ask(&self) -> Option<End> {
        self.turn.0.context.enter().ok()?;
        // SAFETY: a stream of ours.
        match unsafe { sys::cuStreamQuery(self.turn.0.raw) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => None,
            other => Some(End { result: driver::check(other), at: Instant::now() }),
        }
    }

    /// Sleeps until shortly before the expected end, in parts, so that work that is quicker than usual is not
    /// waited for in vain, and as long as `doze` says that it may.
    fn doze(&self, expected: Duration, doze: impl Fn(Duration) -> bool) -> Nap {
        // By the clock: each sleep takes longer than it is told, and all of them together would take longer
        // than the kernel.
        let until = self.began + expected.saturating_sub(EARLY);
        let begun = Instant::now();
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            if let Some(end) = self.look(self.began, || false).or_else(|| self.ask()) {
                return Nap::Ended(end);
            }
            // It may be much quicker than the last ones.
            let nap = (left / 16).min(begun.elapsed()).clamp(NAPS.0, NAPS.1);
            if !doze(left.min(nap)) {
                return Nap::Disturbed;
            }
        }
        Nap::Over
    }

    /// Sleeps until shortly before the expected end, then looks, then sleeps until the end.
    fn wait(&mut self) -> (End, Option<Near>) {
        let sleep = |time| {
            std::thread::sleep(time);
            true
        };
        let expected = self.pace.expected().unwrap_or_default();
        if let Nap::Ended(end) = self.doze(expected, sleep) {
            return (end, None);
        }
        let near = Near::begin();
        if let Some(end) = self.look(Instant::now() + 3 * EARLY, || true) {
            return (end, Some(near));
        }
        drop(near);
        // As after a failed start.
        let result = self.sleep().inspect_err(|_| self.turn.0.stream.lock().drain());
        (End { result, at: Instant::now() }, None)
    }

    fn sleep(&mut self) -> Result<(), Failure> {
        if matches!(self.mark, Mark::Flag(_)) {
            self.mark = Mark::event(&self.turn.0.stream.lock(), &self.turn.0.spare)?;
        }
        match &self.mark {
            Mark::Event(event) => event.wait(),
            Mark::Flag(_) => Ok(()),
        }
    }

    fn happen(self, end: End) {
        self.pace.took(end.at.saturating_duration_since(self.began));
        let result = end.result.map_err(|failure| {
            let what = format!("finish a {}", self.what);
            DeviceError::driver(&format!("CUDA{}", self.turn.0.device), &what, &failure)
        });
        self.end(result);
    }

    fn end(self, result: Result<(), DeviceError>) {
        if let Mark::Event(event) = self.mark {
            self.turn.0.spare.lock().push(event);
        }
        // What is called puts more work on queues.
        drop(self.turn);
        (self.done)(result);
    }
}

/// The thread of a queue.
fn complete(context: &Context, pending: &Receiver<Ending>) {
    let entered = context.enter();
    for mut ending in pending {
        match &entered {
            Ok(()) => {
                let (end, _near) = ending.wait();
                ending.happen(end);
            }
            Err(error) => ending.end(Err(error.clone())),
        }
    }
}
