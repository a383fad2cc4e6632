//! Parallel staging of long copies: several threads copy between pageable memory and pinned slices, since one
//! thread is slower than the device's transfers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Builder;
use std::time::Instant;

use crate::device::copy::request::{Download, POLL_TIME, Upload};
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Context, sys};
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::{Event, Stream};

/// Size of a slice: with smaller slices the device would wait for the threads between two transfers.
const THREAD_SLICE: usize = 4 << 20;
/// Size of the first and last chunks: while the first are filled, and the last are emptied, nothing overlaps.
const EDGE_SLICE: usize = 1 << 20;
/// Maximum number of threads of a copy.
const MAX_THREADS: usize = 12;

/// A pinned buffer, and the event of its last transfer.
pub(crate) struct Slice {
    pub memory: *mut u8,
    bytes: usize,
    /// Whether the memory was allocated by the system and then pinned, and not allocated by the driver.
    registered: bool,
    event: Event,
}

// SAFETY: memory and events may be used from any thread.
unsafe impl Send for Slice {}

/// Slices of the threads for one direction of a device ("lanes", two slices each), made at the first use.
#[derive(Default)]
pub(crate) struct StagingThreads(Vec<[Slice; 2]>);

impl StagingThreads {
    /// Makes the lanes; true if there is more than one.
    pub(crate) fn make(&mut self, context: &Context) -> bool {
        let threads = std::thread::available_parallelism().map_or(1, |it| it.get() * 7 / 8).min(MAX_THREADS);
        if self.0.len() < threads {
            // In parallel, since the system takes long to clear so much memory. A thread may fail to start.
            let one = || context.enter().is_ok().then(|| Slice::pair(THREAD_SLICE).ok()).flatten();
            std::thread::scope(|scope| {
                let start = |_| Builder::new().spawn_scoped(scope, one).ok();
                let makers: Vec<_> = (self.0.len()..threads).filter_map(start).collect();
                self.0.extend(makers.into_iter().filter_map(|it| it.join().ok().flatten()));
            });
        }
        self.0.len() > 1
    }

    /// Runs `work` on one thread per lane; the threads take the numbers below `chunks` from a shared counter.
    /// Runs it on the calling thread if none can be started.
    fn run(
        &self,
        context: &Context,
        work: impl Fn(&[Slice; 2], &dyn Fn() -> Option<u64>) -> Result<(), Failure> + Sync,
        chunks: u64,
    ) -> Result<(), Failure> {
        let counter = AtomicU64::new(0);
        let next = || Some(counter.fetch_add(1, Ordering::Relaxed)).filter(|it| *it < chunks);
        let (work, next) = (&work, &next);
        std::thread::scope(|scope| {
            let start = |lane| {
                let run = move || match context.enter() {
                    Ok(()) => work(lane, next),
                    // The other lanes do its part.
                    Err(_) => Ok(()),
                };
                Builder::new().spawn_scoped(scope, run).ok()
            };
            let threads: Vec<_> = self.0.iter().filter_map(start).collect();
            // All are joined, also after an error: the scope would panic otherwise.
            let ends: Vec<_> =
                threads.into_iter().map(|it| it.join().unwrap_or(Err(Failure::UNFINISHED))).collect();
            ends.into_iter().collect::<Result<(), Failure>>()
        })?;
        // No thread has started, or none could use the device.
        if counter.load(Ordering::Relaxed) < chunks {
            self.0.first().map_or(Err(Failure::UNFINISHED), |lane| work(lane, next))?;
        }
        if counter.load(Ordering::Relaxed) < chunks { Err(Failure::UNFINISHED) } else { Ok(()) }
    }

    /// Submits a copy to the device to the stream.
    pub(crate) fn upload(&self, context: &Context, stream: &Stream, piece: Upload) -> Result<(), Failure> {
        let chunks = Chunks::new(piece.bytes, self.0.len() as u64);
        let source = Address(piece.source.cast_mut());
        let work = |lane: &[Slice; 2], next: &dyn Fn() -> Option<u64>| {
            let mut slice_index = 0;
            while let Some(chunk) = next() {
                let (at, count) = chunks.part(chunk);
                let slice = &lane[slice_index];
                slice.free()?;
                // Plain stores keep the slice in the caches, from which the device reads it faster.
                // SAFETY: inside the caller's memory; the slice's last transfer has ended, and it is long
                // enough.
                unsafe { std::ptr::copy_nonoverlapping(source.at(at), slice.memory, count) };
                slice.send(stream, piece.target + at, count)?;
                slice_index ^= 1;
            }
            Ok(())
        };
        self.run(context, work, chunks.count())
    }

    /// Copies from the device, and waits for the end.
    pub(crate) fn download(
        &self,
        context: &Context,
        stream: &Stream,
        piece: Download,
    ) -> Result<(), Failure> {
        let chunks = Chunks::new(piece.bytes, self.0.len() as u64);
        let target = Address(piece.target);
        let work = |lane: &[Slice; 2], next: &dyn Fn() -> Option<u64>| {
            let request = |slice: &Slice| {
                let Some(chunk) = next() else { return Ok(None) };
                let (at, count) = chunks.part(chunk);
                slice.fetch(stream, piece.source + at, count)?;
                Ok(Some((at, count)))
            };
            let mut waiting = [request(&lane[0])?, request(&lane[1])?];
            let mut slice_index = 0;
            while let Some((at, count)) = waiting[slice_index] {
                let slice = &lane[slice_index];
                slice.free()?;
                // SAFETY: the transfer into the slice has ended; the target is the caller's and long enough.
                unsafe { stream_out(slice.memory, target.at(at), count) };
                waiting[slice_index] = request(slice)?;
                slice_index ^= 1;
            }
            Ok(())
        };
        self.run(context, work, chunks.count())
    }
}

/// How a long copy is divided: small chunks at its ends, large ones between.
#[derive(Clone, Copy, Debug)]
struct Chunks {
    bytes: u64,
    /// Number of small chunks at each end.
    edge: u64,
}

impl Chunks {
    fn new(bytes: u64, lanes: u64) -> Chunks {
        // Each thread begins and ends with a small chunk.
        let edge = lanes.min(bytes / (4 * EDGE_SLICE as u64));
        Chunks { bytes, edge }
    }

    fn large(&self) -> u64 {
        (self.bytes - 2 * self.edge * EDGE_SLICE as u64).div_ceil(THREAD_SLICE as u64)
    }

    fn count(&self) -> u64 {
        2 * self.edge + self.large()
    }

    /// Where a chunk starts, and its length.
    fn part(&self, chunk: u64) -> (u64, usize) {
        let (small, large) = (EDGE_SLICE as u64, THREAD_SLICE as u64);
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

/// Copies with non-temporal stores, which bypass the caches: lines that are wholly written are not read
/// first.
///
/// # Safety
/// As for [`std::ptr::copy_nonoverlapping`].
#[cfg(target_arch = "x86_64")]
unsafe fn stream_out(source: *const u8, target: *mut u8, bytes: usize) {
    /// Size of a cache line, and of the widest store.
    const WIDTH: usize = 64;
    let first = target.align_offset(WIDTH).min(bytes);
    let lines = (bytes - first) / WIDTH;
    // SAFETY: all inside the two ranges; the lines of the target are aligned; the CPU has the instructions.
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
        // SAFETY: the caller vouches for both ranges.
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
        // SAFETY: the caller vouches for both ranges.
        unsafe { _mm_stream_si128(to.add(part), _mm_loadu_si128(from.add(part))) };
    }
}

/// As above, where there are no such stores.
///
/// # Safety
/// As above.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn stream_out(source: *const u8, target: *mut u8, bytes: usize) {
    // SAFETY: the caller vouches for both ranges.
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
        // SAFETY: the caller vouches for both ranges.
        unsafe { self.0.add(offset as usize) }
    }
}

// SAFETY: driver memory may be used from any thread; a slice belongs to one thread at a time.
unsafe impl Sync for Slice {}

impl Slice {
    /// Two slices of `bytes` bytes. The context must be current.
    pub(crate) fn pair(bytes: usize) -> Result<[Slice; 2], Failure> {
        Ok([Slice::new(bytes)?, Slice::new(bytes)?])
    }

    /// Waits until its last transfer has ended.
    pub(crate) fn free(&self) -> Result<(), Failure> {
        self.event.poll(Instant::now() + POLL_TIME, || true).unwrap_or_else(|| self.event.wait())
    }

    /// Submits the transfer of its first bytes to the device.
    pub(crate) fn send(&self, stream: &Stream, target: u64, count: usize) -> Result<(), Failure> {
        // SAFETY: the slice is long enough, and nothing else is done with it until the event.
        driver::check(unsafe { sys::cuMemcpyHtoDAsync_v2(target, self.memory.cast(), count, stream.0) })?;
        self.event.record(stream)
    }

    /// Has its first bytes filled by the device.
    pub(crate) fn fetch(&self, stream: &Stream, source: u64, count: usize) -> Result<(), Failure> {
        // SAFETY: the slice is long enough, and no other code uses it until the event.
        driver::check(unsafe { sys::cuMemcpyDtoHAsync_v2(self.memory.cast(), source, count, stream.0) })?;
        self.event.record(stream)
    }

    fn new(bytes: usize) -> Result<Slice, Failure> {
        let event = Event::new()?;
        if let Some(memory) = pages(bytes) {
            let flags = sys::CU_MEMHOSTREGISTER_PORTABLE;
            // SAFETY: a context is current; memory of ours.
            if driver::check(unsafe { sys::cuMemHostRegister_v2(memory.cast(), bytes, flags) }).is_ok() {
                return Ok(Slice { memory, bytes, registered: true, event });
            }
            // SAFETY: from `pages`, and unused.
            unsafe { libc::munmap(memory.cast(), bytes) };
        }
        let mut memory = std::ptr::null_mut();
        // SAFETY: a context is current; the result goes to a local.
        driver::check(unsafe { sys::cuMemHostAlloc(&mut memory, bytes, sys::CU_MEMHOSTALLOC_PORTABLE) })?;
        Ok(Slice { memory: memory.cast(), bytes, registered: false, event })
    }
}

/// New memory in large pages that are there already: clearing them goes several times as fast as the driver's
/// own way to pinned memory, and by several threads at once.
fn pages(bytes: usize) -> Option<*mut u8> {
    // SAFETY: new memory.
    let memory = unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0)
    };
    if memory == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: all inside the new memory; refusing large pages is no harm.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::madvise(memory, bytes, libc::MADV_HUGEPAGE);
        memory.cast::<u8>().write_bytes(0, bytes);
    }
    Some(memory.cast())
}

impl Drop for Slice {
    fn drop(&mut self) {
        // SAFETY: ours, and dropped once, after the stream's work has ended.
        unsafe {
            if self.registered {
                sys::cuMemHostUnregister(self.memory.cast());
                libc::munmap(self.memory.cast(), self.bytes);
            } else {
                sys::cuMemFreeHost(self.memory.cast());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::copy::request::MIN_PARALLEL_SIZE;

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
        for bytes in [
            MIN_PARALLEL_SIZE,
            MIN_PARALLEL_SIZE + 1,
            MIN_PARALLEL_SIZE + 12345,
            1 << 30,
            (1 << 30) - 7,
            5 << 30,
        ] {
            for lanes in [2, 8, 12] {
                let chunks = Chunks::new(bytes, lanes);
                let mut end = 0;
                for chunk in 0..chunks.count() {
                    let (start, length) = chunks.part(chunk);
                    assert_eq!(start, end, "{bytes} {lanes} {chunk}");
                    assert!(length > 0 && length <= THREAD_SLICE, "{bytes} {lanes} {chunk}");
                    end = start + length as u64;
                }
                assert_eq!(end, bytes, "{lanes}");
            }
        }
    }
}
