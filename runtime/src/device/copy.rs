//! Copies between a host's memory and a device's, and between devices. Ordinary memory is staged through pinned slices: while
//! the device moves one, the processor fills or empties the other.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;

use super::driver::{self, Context, Failure, sys};
use super::error::{DeviceError, Kind};
use super::queue::{Event, Stream};
use super::{Device, Done};

/// Bytes of a pinned slice.
const SLICE: usize = 4 << 20;

/// Bytes to move to a device.
#[derive(Clone, Copy, Debug)]
pub struct Upload {
    /// Host memory.
    pub source: *const u8,
    /// Device memory.
    pub target: u64,
    /// How many.
    pub bytes: u64,
}

/// Bytes to move to a host.
#[derive(Clone, Copy, Debug)]
struct Download {
    source: u64,
    target: *mut u8,
    bytes: u64,
}

enum Work {
    Upload(Vec<Upload>),
    Download(Download),
    Clear { address: u64, bytes: u64 },
    WaitForAll,
    Peer { source: u64, target: u64, target_context: Arc<Context>, bytes: u64 },
}

// SAFETY: the addresses stay valid until `done` is called: callers of the unsafe functions below vouch for it.
unsafe impl Send for Work {}

/// A thread with a stream that does copies one after the other.
pub struct Engine(Mutex<Sender<(Work, Done)>>);

impl Engine {
    /// Starts the thread.
    pub fn new(context: &Arc<Context>, name: String) -> Result<Engine, DeviceError> {
        let (sender, receiver) = channel();
        let context = Arc::clone(context);
        std::thread::Builder::new()
            .name(name)
            .spawn(move || serve(&context, &receiver))
            .map_err(|error| DeviceError::new(Kind::Internal, format!("no thread for copies: {error}")))?;
        Ok(Engine(Mutex::new(sender)))
    }

    fn submit(&self, work: Work, done: Done) {
        let lost = self.0.lock().send((work, done));
        if let Err(lost) = lost {
            (lost.0.1)(Err(DeviceError::new(Kind::Internal, "the thread for copies has ended")));
        }
    }

    /// Waits for all streams of the device.
    pub fn wait_for_all(&self, done: Done) {
        self.submit(Work::WaitForAll, done);
    }

    /// Fills memory with zeros.
    pub fn clear(&self, address: u64, bytes: u64, done: Done) {
        self.submit(Work::Clear { address, bytes }, done);
    }
}

impl Device {
    /// Copies to the device.
    ///
    /// # Safety
    /// The host memory is valid until `done` is called.
    pub unsafe fn upload(&self, pieces: Vec<Upload>, done: Done) {
        self.uploads.submit(Work::Upload(pieces), done);
    }

    /// Copies from the device.
    ///
    /// # Safety
    /// The host memory is valid, and the copy's alone to write, until `done` is called.
    pub unsafe fn download(&self, source: u64, target: *mut u8, bytes: u64, done: Done) {
        self.downloads.submit(Work::Download(Download { source, target, bytes }), done);
    }

    /// Copies to this or another device of the process.
    pub fn copy_to(&self, source: u64, target_device: &Device, target: u64, bytes: u64, done: Done) {
        let target_context = Arc::clone(&target_device.context);
        self.downloads.submit(Work::Peer { source, target, target_context, bytes }, done);
    }
}

fn serve(context: &Context, work: &Receiver<(Work, Done)>) {
    let mut worker = context.enter().and_then(|()| Worker::new(context));
    for (item, done) in work {
        let result = match &mut worker {
            Ok(worker) => worker.run(item),
            Err(error) => Err(error.clone()),
        };
        done(result);
    }
}

struct Worker<'a> {
    context: &'a Context,
    stream: Stream,
    /// None where the system refuses pinned memory: then copies are slower, but right.
    slices: Option<[Slice; 2]>,
}

/// Pinned memory, and the end of its last transfer.
struct Slice {
    memory: *mut u8,
    event: Event,
}

impl<'a> Worker<'a> {
    fn new(context: &'a Context) -> Result<Worker<'a>, DeviceError> {
        let error = |failure| DeviceError::driver("the device", "make a queue for copies", &failure);
        let stream = Stream::new().map_err(error)?;
        let slices = Slice::new().and_then(|first| Ok([first, Slice::new()?])).ok();
        Ok(Worker { context, stream, slices })
    }

    fn run(&mut self, work: Work) -> Result<(), DeviceError> {
        let (what, result) = match work {
            Work::Upload(pieces) => ("copy to the device", self.upload(&pieces)),
            Work::Download(piece) => ("copy from the device", self.download(piece)),
            Work::Clear { address, bytes } => ("clear memory", self.clear(address, bytes)),
            // SAFETY: a context of this device is current.
            Work::WaitForAll => ("wait for the device", driver::check(unsafe { sys::cuCtxSynchronize() })),
            Work::Peer { source, target, target_context, bytes } => {
                ("copy between devices", self.peer(source, target, &target_context, bytes))
            }
        };
        result.map_err(|failure| DeviceError::driver("the device", what, &failure))
    }

    fn upload(&mut self, pieces: &[Upload]) -> Result<(), Failure> {
        let mut turn = 0;
        for piece in pieces {
            let mut at = 0;
            while at < piece.bytes {
                let count = ((piece.bytes - at) as usize).min(SLICE);
                // SAFETY: inside the caller's memory, which is valid until the end of this work.
                let source = unsafe { piece.source.add(at as usize) };
                self.send(turn, source, piece.target + at, count)?;
                turn ^= 1;
                at += count as u64;
            }
        }
        self.synchronize()
    }

    /// Puts one slice on its way.
    fn send(&self, turn: usize, source: *const u8, target: u64, count: usize) -> Result<(), Failure> {
        let Some(slices) = &self.slices else {
            // SAFETY: valid memory on both sides; the driver copies from ordinary memory before it returns.
            return driver::check(unsafe {
                sys::cuMemcpyHtoDAsync_v2(target, source.cast(), count, self.stream.0)
            });
        };
        let slice = &slices[turn];
        slice.event.wait()?;
        // SAFETY: the slice's last transfer has ended; it is as long as `count` or longer.
        unsafe {
            std::ptr::copy_nonoverlapping(source, slice.memory, count);
            driver::check(sys::cuMemcpyHtoDAsync_v2(target, slice.memory.cast(), count, self.stream.0))?;
        }
        slice.event.record(&self.stream)
    }

    fn download(&mut self, piece: Download) -> Result<(), Failure> {
        let Some(slices) = &self.slices else {
            // SAFETY: valid memory on both sides until the synchronisation.
            driver::check(unsafe {
                sys::cuMemcpyDtoHAsync_v2(
                    piece.target.cast(),
                    piece.source,
                    piece.bytes as usize,
                    self.stream.0,
                )
            })?;
            return self.synchronize();
        };
        let chunks = piece.bytes.div_ceil(SLICE as u64);
        let part = |chunk: u64| {
            let at = chunk * SLICE as u64;
            (at, ((piece.bytes - at) as usize).min(SLICE))
        };
        let request = |chunk: u64| {
            let (at, count) = part(chunk);
            let slice = &slices[(chunk % 2) as usize];
            // SAFETY: the slice's contents have been taken out, and it is long enough.
            driver::check(unsafe {
                sys::cuMemcpyDtoHAsync_v2(slice.memory.cast(), piece.source + at, count, self.stream.0)
            })?;
            slice.event.record(&self.stream)
        };
        for chunk in 0..chunks.min(2) {
            request(chunk)?;
        }
        for chunk in 0..chunks {
            let (at, count) = part(chunk);
            let slice = &slices[(chunk % 2) as usize];
            slice.event.wait()?;
            // SAFETY: the transfer into the slice has ended; the target is the caller's and long enough.
            unsafe { std::ptr::copy_nonoverlapping(slice.memory, piece.target.add(at as usize), count) };
            if chunk + 2 < chunks {
                request(chunk + 2)?;
            }
        }
        Ok(())
    }

    fn clear(&mut self, address: u64, bytes: u64) -> Result<(), Failure> {
        if bytes > 0 {
            // SAFETY: the memory is the program's own on this device.
            driver::check(unsafe { sys::cuMemsetD8Async(address, 0, bytes as usize, self.stream.0) })?;
        }
        self.synchronize()
    }

    fn peer(&mut self, source: u64, target: u64, other: &Context, bytes: u64) -> Result<(), Failure> {
        if bytes > 0 {
            let (from, to) = (self.context.raw(), other.raw());
            // SAFETY: both ranges are the program's own on their devices.
            driver::check(unsafe {
                sys::cuMemcpyPeerAsync(target, to, source, from, bytes as usize, self.stream.0)
            })?;
        }
        self.synchronize()
    }

    /// Sleeps until all that is on the stream has ended.
    fn synchronize(&self) -> Result<(), Failure> {
        // SAFETY: our stream; the context's flags make this sleep.
        driver::check(unsafe { sys::cuStreamSynchronize(self.stream.0) })
    }
}

impl Slice {
    fn new() -> Result<Slice, Failure> {
        let mut memory = std::ptr::null_mut();
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuMemHostAlloc(&mut memory, SLICE, sys::CU_MEMHOSTALLOC_PORTABLE) })?;
        Ok(Slice { memory: memory.cast(), event: Event::new()? })
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        // SAFETY: ours, and dropped once, after the stream's work has ended.
        unsafe { sys::cuMemFreeHost(self.memory.cast()) };
    }
}
