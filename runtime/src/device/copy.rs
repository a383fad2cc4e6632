//! Copies between a host's memory and a device's, and between devices. Ordinary memory is staged through pinned slices: while
//! the device moves one, the processor fills or empties the other. One thread is slower at that than the device: long copies
//! have several, each with slices of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::driver::{self, Context, Failure, sys};
use super::error::{DeviceError, Kind};
use super::queue::{Event, Stream};
use super::{Device, Done};

/// Bytes of a pinned slice.
const SLICE: usize = 4 << 20;
/// Bytes of a slice of a long copy's threads: with smaller ones the device waits for the threads between two.
const LANE_SLICE: usize = 4 << 20;
/// Of the first and last ones: until the first is full, and while the last are emptied, nothing else happens.
const EDGE_SLICE: usize = 1 << 20;
/// Copies of so many bytes have several threads.
const LONG: u64 = 32 << 20;
/// Most threads of a copy.
const LANES: usize = 12;
/// How long a transfer is looked at before its thread sleeps.
const LOOK: Duration = Duration::from_millis(5);

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
    /// The end of what is on it.
    end: Event,
    /// None where the system refuses pinned memory: then copies are slower, but right.
    slices: Option<[Slice; 2]>,
    /// Slices of the threads of long copies, made when they are first needed.
    lanes: Vec<[Slice; 2]>,
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
        let end = Event::new().map_err(error)?;
        let slices = Slice::pair(SLICE).ok();
        Ok(Worker { context, stream, end, slices, lanes: Vec::new() })
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
            if piece.bytes >= LONG && self.make_lanes() {
                self.upload_long(*piece)?;
                continue;
            }
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
        slice.free()?;
        // SAFETY: the slice's last transfer has ended; it is as long as `count` or longer.
        unsafe {
            std::ptr::copy_nonoverlapping(source, slice.memory, count);
            driver::check(sys::cuMemcpyHtoDAsync_v2(target, slice.memory.cast(), count, self.stream.0))?;
        }
        slice.event.record(&self.stream)
    }

    /// Makes what the threads of long copies need; whether there is more than one.
    fn make_lanes(&mut self) -> bool {
        let threads = std::thread::available_parallelism().map_or(1, |it| it.get() * 7 / 8).min(LANES);
        while self.lanes.len() < threads {
            match Slice::pair(LANE_SLICE) {
                Ok(pair) => self.lanes.push(pair),
                Err(_) => break,
            }
        }
        self.lanes.len() > 1
    }

    /// Runs `work` on a thread for each lane, which take the numbers below `chunks` from the counter.
    fn in_lanes(
        &self,
        work: impl Fn(&[Slice; 2], &dyn Fn() -> Option<u64>) -> Result<(), Failure> + Sync,
        chunks: u64,
    ) -> Result<(), Failure> {
        let counter = AtomicU64::new(0);
        let next = || Some(counter.fetch_add(1, Ordering::Relaxed)).filter(|it| *it < chunks);
        std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .lanes
                .iter()
                .map(|lane| {
                    scope.spawn(|| match self.context.enter() {
                        Ok(()) => work(lane, &next),
                        // The other lanes do its part.
                        Err(_) => Ok(()),
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|it| it.join().unwrap_or(Ok(())))
        })?;
        self.synchronize()
    }

    fn upload_long(&self, piece: Upload) -> Result<(), Failure> {
        let chunks = Chunks::new(piece.bytes, self.lanes.len() as u64);
        let source = Address(piece.source.cast_mut());
        let work = |lane: &[Slice; 2], next: &dyn Fn() -> Option<u64>| {
            let mut turn = 0;
            while let Some(chunk) = next() {
                let (at, count) = chunks.part(chunk);
                let slice = &lane[turn];
                slice.free()?;
                // SAFETY: inside the caller's memory; the slice's last transfer has ended, and it is long enough.
                unsafe {
                    stream_out(source.at(at), slice.memory, count);
                    driver::check(sys::cuMemcpyHtoDAsync_v2(
                        piece.target + at,
                        slice.memory.cast(),
                        count,
                        self.stream.0,
                    ))?;
                }
                slice.event.record(&self.stream)?;
                turn ^= 1;
            }
            Ok(())
        };
        self.in_lanes(work, chunks.count())
    }

    fn download_long(&self, piece: Download) -> Result<(), Failure> {
        let chunks = Chunks::new(piece.bytes, self.lanes.len() as u64);
        let target = Address(piece.target);
        let work = |lane: &[Slice; 2], next: &dyn Fn() -> Option<u64>| {
            let request = |slice: &Slice| {
                let Some(chunk) = next() else { return Ok(None) };
                let (at, count) = chunks.part(chunk);
                // SAFETY: the slice's contents have been taken out, and it is long enough.
                driver::check(unsafe {
                    sys::cuMemcpyDtoHAsync_v2(slice.memory.cast(), piece.source + at, count, self.stream.0)
                })?;
                slice.event.record(&self.stream)?;
                Ok(Some((at, count)))
            };
            let mut waiting = [request(&lane[0])?, request(&lane[1])?];
            let mut turn = 0;
            while let Some((at, count)) = waiting[turn] {
                let slice = &lane[turn];
                slice.free()?;
                // SAFETY: the transfer into the slice has ended; the target is the caller's and long enough.
                unsafe { std::ptr::copy_nonoverlapping(slice.memory, target.at(at), count) };
                waiting[turn] = request(slice)?;
                turn ^= 1;
            }
            Ok(())
        };
        self.in_lanes(work, chunks.count())
    }

    fn download(&mut self, piece: Download) -> Result<(), Failure> {
        if piece.bytes >= LONG && self.make_lanes() {
            return self.download_long(piece);
        }
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
        let part = |chunk: u64| part(chunk, SLICE, piece.bytes);
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
            slice.free()?;
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

    /// Waits until all that is on the stream has ended; sleeps if that takes long.
    fn synchronize(&self) -> Result<(), Failure> {
        self.end.record(&self.stream)?;
        self.end.look(Instant::now() + LOOK, || true).unwrap_or_else(|| self.end.wait())
    }
}

/// Where a chunk starts, and its length.
fn part(chunk: u64, slice: usize, bytes: u64) -> (u64, usize) {
    let at = chunk * slice as u64;
    (at, ((bytes - at) as usize).min(slice))
}

/// How a long copy is divided: small chunks at its ends, large ones between.
#[derive(Clone, Copy, Debug)]
struct Chunks {
    bytes: u64,
    /// Small chunks at each end.
    edge: u64,
}

impl Chunks {
    fn new(bytes: u64, lanes: u64) -> Chunks {
        // Each thread begins with one, and ends with one.
        let edge = lanes.min(bytes / (4 * EDGE_SLICE as u64));
        Chunks { bytes, edge }
    }

    fn large(&self) -> u64 {
        (self.bytes - 2 * self.edge * EDGE_SLICE as u64).div_ceil(LANE_SLICE as u64)
    }

    fn count(&self) -> u64 {
        2 * self.edge + self.large()
    }

    /// Where a chunk starts, and its length.
    fn part(&self, chunk: u64) -> (u64, usize) {
        let (small, large) = (EDGE_SLICE as u64, LANE_SLICE as u64);
        let end = self.bytes - self.edge * small;
        let (start, length) = if chunk < self.edge {
            (chunk * small, small)
        } else if chunk < self.edge + self.large() {
            let start = self.edge * small + (chunk - self.edge) * large;
            (start, large.min(end - start))
        } else {
            (end + (chunk - self.edge - self.large()) * small, small)
        };
        (start, length as usize)
    }
}

/// Copies past the caches, for what the device alone reads next: lines that are wholly written need not be read first.
///
/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream_out(source: *const u8, target: *mut u8, bytes: usize) {
    /// A line, the most that one store writes.
    const WIDTH: usize = 64;
    let first = target.align_offset(WIDTH).min(bytes);
    let lines = (bytes - first) / WIDTH;
    // SAFETY: all inside the two ranges; the lines of the target are aligned; the processor was asked.
    unsafe {
        std::ptr::copy_nonoverlapping(source, target, first);
        let (from, to) = (source.add(first), target.add(first));
        if std::is_x86_feature_detected!("avx512f") {
            stream_lines_at_once(from, to, lines);
        } else {
            stream_lines(from, to, lines);
        }
        let done = first + lines * WIDTH;
        std::ptr::copy_nonoverlapping(source.add(done), target.add(done), bytes - done);
        std::arch::x86_64::_mm_sfence();
    }
}

/// # Safety
/// As above; the target is aligned to a line.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn stream_lines_at_once(source: *const u8, target: *mut u8, lines: usize) {
    use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_stream_si512};
    let (from, to) = (source.cast::<__m512i>(), target.cast::<__m512i>());
    for line in 0..lines {
        // SAFETY: by the caller.
        unsafe { _mm512_stream_si512(to.add(line), _mm512_loadu_si512(from.add(line))) };
    }
}

/// # Safety
/// As above; the target is aligned to a line.
#[cfg(target_arch = "x86_64")]
unsafe fn stream_lines(source: *const u8, target: *mut u8, lines: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    let (from, to) = (source.cast::<__m128i>(), target.cast::<__m128i>());
    for part in 0..4 * lines {
        // SAFETY: by the caller.
        unsafe { _mm_stream_si128(to.add(part), _mm_loadu_si128(from.add(part))) };
    }
}

/// As above, where there are no such stores.
///
/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream_out(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: by the caller.
    unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) }
}

/// Host memory that several threads copy from or to, each its own parts.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: valid until the copy has ended, and no two threads touch the same bytes.
unsafe impl Sync for Address {}

impl Address {
    /// # Safety
    /// The offset is inside the memory.
    unsafe fn at(&self, offset: u64) -> *mut u8 {
        // SAFETY: by the caller.
        unsafe { self.0.add(offset as usize) }
    }
}

// SAFETY: driver memory may be used from any thread; a slice belongs to one thread at a time.
unsafe impl Sync for Slice {}

impl Slice {
    fn pair(bytes: usize) -> Result<[Slice; 2], Failure> {
        Ok([Slice::new(bytes)?, Slice::new(bytes)?])
    }

    /// Waits until its last transfer has ended.
    fn free(&self) -> Result<(), Failure> {
        self.event.look(Instant::now() + LOOK, || true).unwrap_or_else(|| self.event.wait())
    }

    fn new(bytes: usize) -> Result<Slice, Failure> {
        let mut memory = std::ptr::null_mut();
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuMemHostAlloc(&mut memory, bytes, sys::CU_MEMHOSTALLOC_PORTABLE) })?;
        Ok(Slice { memory: memory.cast(), event: Event::new()? })
    }
}

impl Drop for Slice {
    fn drop(&mut self) {
        // SAFETY: ours, and dropped once, after the stream's work has ended.
        unsafe { sys::cuMemFreeHost(self.memory.cast()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_past_the_caches() {
        let source: Vec<u8> = (0..1000_u32).map(|it| (it * 7 % 251) as u8).collect();
        for (start, count) in [(0, 1000_usize), (1, 900), (63, 64), (5, 3), (64, 0), (17, 130)] {
            let mut target = vec![0_u8; 1100];
            // SAFETY: inside both.
            unsafe { stream_out(source.as_ptr().add(start % 50), target.as_mut_ptr().add(start), count) };
            assert_eq!(target[start..start + count], source[start % 50..][..count]);
            assert!(target[start + count..].iter().chain(&target[..start]).all(|it| *it == 0));
        }
    }

    #[test]
    fn chunks_cover_a_copy_once() {
        for bytes in [LONG, LONG + 1, LONG + 12345, 1 << 30, (1 << 30) - 7, 5 << 30] {
            for lanes in [2, 8, 12] {
                let chunks = Chunks::new(bytes, lanes);
                let mut end = 0;
                for chunk in 0..chunks.count() {
                    let (start, length) = chunks.part(chunk);
                    assert_eq!(start, end, "{bytes} {lanes} {chunk}");
                    assert!(length > 0 && length <= LANE_SLICE, "{bytes} {lanes} {chunk}");
                    end = start + length as u64;
                }
                assert_eq!(end, bytes, "{lanes}");
            }
        }
    }
}
