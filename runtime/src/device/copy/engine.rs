//! Asynchronous copies between a host and a device, by a thread for each direction. The device moves pinned
//! memory alone. Other memory is staged through two pinned slices: while the device moves one, a CPU fills or
//! empties the other (double buffering).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use parking_lot::Mutex;

use crate::device::copy::auto_pin;
use crate::device::copy::request::{Download, MIN_PARALLEL_SIZE, POLL_TIME, Upload};
use crate::device::copy::staging_parallel::{Slice, StagingThreads};
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Context, sys};
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::{Event, Stream};
use crate::device::error::{DeviceError, Kind};
use crate::device::{Device, OnComplete};

/// Bytes of a pinned slice.
const SLICE: usize = 4 << 20;

enum Work {
    Upload(Vec<Upload>),
    Download(Download),
    Clear { address: u64, bytes: u64 },
    WaitForAll,
}

// SAFETY: the addresses stay valid until `done` is called: callers of the unsafe functions below vouch for
// it.
unsafe impl Send for Work {}

/// A thread with a stream that does copies one after the other.
pub(crate) struct CopyEngine(Mutex<Sender<(Work, OnComplete)>>);

impl CopyEngine {
    /// Starts the thread.
    pub(crate) fn new(context: &Arc<Context>, name: String) -> Result<CopyEngine, DeviceError> {
        let (sender, receiver) = channel();
        let context = Arc::clone(context);
        std::thread::Builder::new()
            .name(name)
            .spawn(move || serve(&context, &receiver))
            .map_err(|error| DeviceError::new(Kind::Internal, format!("no thread for copies: {error}")))?;
        Ok(CopyEngine(Mutex::new(sender)))
    }

    fn submit(&self, work: Work, done: OnComplete) {
        let lost = self.0.lock().send((work, done));
        if let Err(lost) = lost {
            (lost.0.1)(Err(DeviceError::new(Kind::Internal, "the thread for copies has ended")));
        }
    }

    /// Waits for all streams of the device.
    pub(crate) fn wait_for_all(&self, done: OnComplete) {
        self.submit(Work::WaitForAll, done);
    }

    /// Fills memory with zeros.
    pub(crate) fn clear(&self, address: u64, bytes: u64, done: OnComplete) {
        self.submit(Work::Clear { address, bytes }, done);
    }
}

impl Device {
    /// Copies to the device.
    ///
    /// # Safety
    /// The host memory is valid until `done` is called.
    pub unsafe fn upload(&self, pieces: Vec<Upload>, done: OnComplete) {
        self.uploads.submit(Work::Upload(pieces), self.writes(done));
    }

    /// Copies from the device.
    ///
    /// # Safety
    /// The host memory is valid, and the copy's alone to write, until `done` is called.
    pub unsafe fn download(&self, source: u64, target: *mut u8, bytes: u64, done: OnComplete) {
        self.downloads.submit(Work::Download(Download { source, target, bytes }), done);
    }

    /// Notes that a rail's memory has been copied: memory that is copied repeatedly is pinned. `keep` makes
    /// what keeps the rail alive.
    pub fn copied<K: std::any::Any + Send>(&self, memory: *const u8, bytes: u64, keep: impl FnOnce() -> K) {
        auto_pin::copied(memory as usize, bytes as usize, &self.context, keep);
    }
}

fn serve(context: &Context, work: &Receiver<(Work, OnComplete)>) {
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
    /// The end of what is on it.
    end: Event,
    /// None where the system refuses pinned memory: then copies are slower, but right.
    slices: Option<[Slice; 2]>,
    /// For long copies.
    lanes: StagingThreads,
}

impl<'a> Worker<'a> {
    fn new(context: &'a Context) -> Result<Worker<'a>, DeviceError> {
        let error = |failure| DeviceError::driver("the device", "make a queue for copies", &failure);
        let stream = Stream::new().map_err(error)?;
        let end = Event::new().map_err(error)?;
        let slices = Slice::pair(SLICE).ok();
        Ok(Worker { context, stream, end, slices, lanes: StagingThreads::default() })
    }

    fn run(&mut self, work: Work) -> Result<(), DeviceError> {
        let (what, result) = match work {
            Work::Upload(pieces) => ("copy to the device", self.upload(&pieces)),
            Work::Download(piece) => ("copy from the device", self.download(piece)),
            Work::Clear { address, bytes } => ("clear memory", self.clear(address, bytes)),
            // SAFETY: a context of this device is current.
            Work::WaitForAll => ("wait for the device", driver::check(unsafe { sys::cuCtxSynchronize() })),
        };
        result.map_err(|failure| DeviceError::driver("the device", what, &failure))
    }

    fn upload(&mut self, pieces: &[Upload]) -> Result<(), Failure> {
        // What is pinned, in use until all has ended.
        let parts: Vec<_> =
            pieces.iter().map(|it| auto_pin::parts(it.source as usize, it.bytes as usize)).collect();
        let begun = self.begin_upload(pieces, &parts);
        self.end(begun)
    }

    fn begin_upload(&mut self, pieces: &[Upload], parts: &[auto_pin::Parts]) -> Result<(), Failure> {
        for (piece, found) in pieces.iter().zip(parts) {
            for part in &found.parts {
                let at = (part.range.start - piece.source as usize) as u64;
                let source = piece.source.wrapping_add(at as usize);
                let part_of = Upload { source, target: piece.target + at, bytes: part.range.len() as u64 };
                if part.pinned { self.upload_pinned(part_of)? } else { self.upload_staged(part_of)? }
            }
        }
        Ok(())
    }

    fn upload_pinned(&self, piece: Upload) -> Result<(), Failure> {
        // SAFETY: valid memory on both sides until the synchronisation.
        driver::check(unsafe {
            sys::cuMemcpyHtoDAsync_v2(piece.target, piece.source.cast(), piece.bytes as usize, self.stream.0)
        })
    }

    fn upload_staged(&mut self, piece: Upload) -> Result<(), Failure> {
        if piece.bytes >= MIN_PARALLEL_SIZE && self.lanes.make(self.context) {
            return self.lanes.upload(self.context, &self.stream, piece);
        }
        let Some(slices) = &self.slices else {
            // The driver copies from ordinary memory before it returns.
            return self.upload_pinned(piece);
        };
        for chunk in 0..piece.bytes.div_ceil(SLICE as u64) {
            let (at, count) = part(chunk, SLICE, piece.bytes);
            let slice = &slices[(chunk % 2) as usize];
            slice.free()?;
            // SAFETY: inside the caller's memory; the slice's last transfer has ended, and it is long enough.
            unsafe { std::ptr::copy_nonoverlapping(piece.source.add(at as usize), slice.memory, count) };
            slice.send(&self.stream, piece.target + at, count)?;
        }
        Ok(())
    }

    fn download(&mut self, piece: Download) -> Result<(), Failure> {
        let start = piece.target as usize;
        let found = auto_pin::parts(start, piece.bytes as usize);
        let begun = found.parts.iter().try_for_each(|part| {
            let at = part.range.start - start;
            let part_of = Download {
                source: piece.source + at as u64,
                target: piece.target.wrapping_add(at),
                bytes: part.range.len() as u64,
            };
            if part.pinned { self.download_pinned(part_of) } else { self.download_staged(part_of) }
        });
        self.end(begun)
    }

    fn download_pinned(&self, piece: Download) -> Result<(), Failure> {
        // SAFETY: valid memory on both sides until the synchronisation.
        driver::check(unsafe {
            sys::cuMemcpyDtoHAsync_v2(piece.target.cast(), piece.source, piece.bytes as usize, self.stream.0)
        })
    }

    fn download_staged(&mut self, piece: Download) -> Result<(), Failure> {
        if piece.bytes >= MIN_PARALLEL_SIZE && self.lanes.make(self.context) {
            return self.lanes.download(self.context, &self.stream, piece);
        }
        let Some(slices) = &self.slices else { return self.download_pinned(piece) };
        let chunks = piece.bytes.div_ceil(SLICE as u64);
        let slice = |chunk: u64| &slices[(chunk % 2) as usize];
        let request = |chunk: u64| {
            let (at, count) = part(chunk, SLICE, piece.bytes);
            slice(chunk).fetch(&self.stream, piece.source + at, count)
        };
        for chunk in 0..chunks.min(2) {
            request(chunk)?;
        }
        for chunk in 0..chunks {
            let (at, count) = part(chunk, SLICE, piece.bytes);
            slice(chunk).free()?;
            // SAFETY: the transfer into the slice has ended; the target is the caller's and long enough.
            unsafe {
                std::ptr::copy_nonoverlapping(slice(chunk).memory, piece.target.add(at as usize), count);
            }
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

    /// Waits for what has begun, whether or not all of it has: memory must not be given back while the device
    /// is at it.
    fn end(&self, begun: Result<(), Failure>) -> Result<(), Failure> {
        let ended = self.synchronize();
        if begun.is_err() || ended.is_err() {
            self.stream.drain();
        }
        begun.and(ended)
    }

    /// Waits until all that is on the stream has ended; sleeps if that takes long.
    fn synchronize(&self) -> Result<(), Failure> {
        self.end.record(&self.stream)?;
        self.end.poll(Instant::now() + POLL_TIME, || true).unwrap_or_else(|| self.end.wait())
    }
}

/// Where a chunk starts, and its length.
fn part(chunk: u64, slice: usize, bytes: u64) -> (u64, usize) {
    let at = chunk * slice as u64;
    (at, ((bytes - at) as usize).min(slice))
}
