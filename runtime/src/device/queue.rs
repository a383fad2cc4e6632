//! Kernel queues: a stream, and a thread that sleeps until what was launched on it has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::Done;
use super::driver::{self, Context, sys};
use super::error::{DeviceError, Kind};

/// How many kernels of one device may run side by side.
const QUEUES: usize = 4;
/// How long a queue's thread looks at a kernel before it sleeps.
const LOOK: Duration = Duration::from_micros(50);

/// The kernel queues of a device.
pub struct Kernels {
    queues: Vec<Queue>,
}

/// One stream. Kernels on one stream run after each other.
pub struct Queue {
    stream: Stream,
    /// Kernels on their way.
    load: Arc<AtomicUsize>,
    pending: Mutex<Sender<(Event, Done)>>,
    /// Events that can be used again.
    spare: Arc<Mutex<Vec<Event>>>,
}

/// A stream of the driver.
pub struct Stream(pub sys::CUstream);

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream that does not wait for the default stream. The context must be current.
    pub fn new() -> Result<Stream, driver::Failure> {
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
        Ok(Stream(stream))
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

impl Event {
    /// A new event. The context must be current.
    pub fn new() -> Result<Event, driver::Failure> {
        let mut event = std::ptr::null_mut();
        let flags = sys::CUevent_flags_enum::CU_EVENT_BLOCKING_SYNC as u32
            | sys::CUevent_flags_enum::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuEventCreate(&mut event, flags) })?;
        Ok(Event(event))
    }

    /// Now, on that stream.
    pub fn record(&self, stream: &Stream) -> Result<(), driver::Failure> {
        // SAFETY: both belong to the current context.
        driver::check(unsafe { sys::cuEventRecord(self.0, stream.0) })
    }

    /// As [`Event::wait`], but looks for a moment before it sleeps: waking up takes longer than many a kernel runs.
    fn wait_soon(&self) -> Result<(), driver::Failure> {
        let begun = Instant::now();
        while begun.elapsed() < LOOK {
            // SAFETY: an event of ours.
            match unsafe { sys::cuEventQuery(self.0) } {
                sys::CUresult::CUDA_ERROR_NOT_READY => std::thread::yield_now(),
                other => return driver::check(other),
            }
        }
        self.wait()
    }

    /// Sleeps until all that was on the stream has ended.
    pub fn wait(&self) -> Result<(), driver::Failure> {
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

impl Kernels {
    /// The queues of a device.
    pub fn new(context: &Arc<Context>, ordinal: u32) -> Result<Kernels, DeviceError> {
        let queues =
            (0..QUEUES).map(|index| Queue::new(context, ordinal, index)).collect::<Result<_, _>>()?;
        Ok(Kernels { queues })
    }

    /// The queue with the least to do.
    pub fn pick(&self) -> &Queue {
        let mut best = &self.queues[0];
        for queue in &self.queues[1..] {
            if queue.load.load(Ordering::Relaxed) < best.load.load(Ordering::Relaxed) {
                best = queue;
            }
        }
        best
    }
}

impl Queue {
    fn new(context: &Arc<Context>, ordinal: u32, index: usize) -> Result<Queue, DeviceError> {
        let error = |failure| DeviceError::driver(&format!("CUDA{ordinal}"), "make a queue", &failure);
        context.enter()?;
        let stream = Stream::new().map_err(error)?;
        let load = Arc::new(AtomicUsize::new(0));
        let (pending, receiver) = channel();
        let spare = Arc::new(Mutex::new(Vec::new()));
        let (context, counter, used) = (Arc::clone(context), Arc::clone(&load), Arc::clone(&spare));
        std::thread::Builder::new()
            .name(format!("apg-gpu{ordinal}-{index}"))
            .spawn(move || complete(&context, ordinal, (&counter, &used), &receiver))
            .map_err(|error| {
                DeviceError::new(Kind::Internal, format!("no thread for CUDA{ordinal}: {error}"))
            })?;
        Ok(Queue { stream, load, pending: Mutex::new(pending), spare })
    }

    /// Runs `start`, which puts work on the stream, and calls `done` when that work has ended, or with its error. Work of
    /// several callers is not mixed.
    pub fn submit(
        &self,
        start: impl FnOnce(&Stream) -> Result<(), driver::Failure>,
        done: Done,
        describe: impl FnOnce(driver::Failure) -> DeviceError,
    ) {
        let pending = self.pending.lock();
        let spare = self.spare.lock().pop();
        let recorded = spare.map_or_else(Event::new, Ok).and_then(|event| {
            start(&self.stream)?;
            event.record(&self.stream)?;
            Ok(event)
        });
        match recorded {
            Ok(event) => {
                self.load.fetch_add(1, Ordering::Relaxed);
                if let Err(lost) = pending.send((event, done)) {
                    drop(pending);
                    let ended = DeviceError::new(Kind::Internal, "the thread of a device queue has ended");
                    (lost.0.1)(Err(ended));
                }
            }
            Err(failure) => {
                drop(pending);
                done(Err(describe(failure)));
            }
        }
    }
}

fn complete(
    context: &Context,
    ordinal: u32,
    (load, spare): (&AtomicUsize, &Mutex<Vec<Event>>),
    pending: &Receiver<(Event, Done)>,
) {
    let entered = context.enter();
    for (event, done) in pending {
        let result = entered.clone().and_then(|()| {
            event.wait_soon().map_err(|failure| {
                DeviceError::driver(&format!("CUDA{ordinal}"), "finish a kernel", &failure)
            })
        });
        load.fetch_sub(1, Ordering::Relaxed);
        spare.lock().push(event);
        done(result);
    }
}
