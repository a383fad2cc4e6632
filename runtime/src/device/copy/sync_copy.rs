//! Synchronous copies: the calling thread puts them on a stream itself and polls for their end, since waking
//! the copy thread and being woken by it takes longer than a short copy. Short copies go through staging
//! buffers in pinned memory; long ones are possible if their rail is pinned; copies between devices always
//! are.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::device::copy::auto_pin;
use crate::device::copy::request::{Download, Upload};
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::{Completion, DurationEstimate, EndSignal, Stream, StreamPool, Submission};
use crate::device::error::DeviceError;
use crate::device::launch::check_failure::Record;
use crate::device::{Device, OnComplete};
use crate::heap::page_watch;

/// Size of a staging buffer.
const STAGING_BUFFER_SIZE: usize = 256 << 10;
/// Maximum number of staging buffers of a device.
const MAX_STAGING_BUFFERS: usize = 32;
/// Streams for copies.
const STREAMS: usize = 3;

/// Direction of a copy.
#[derive(Clone, Copy, Debug)]
enum Direction {
    ToDevice,
    ToHost,
    BetweenDevices,
}

/// State of synchronous copies of a device.
pub(crate) struct SyncCopies {
    queues: StreamPool,
    stagings: Mutex<Vec<Address>>,
    made: AtomicUsize,
    /// How long copies take: by direction, and by the logarithm of their size.
    estimates: Vec<Arc<DurationEstimate>>,
}

#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: pinned memory that is never released; a staging buffer belongs to one copy at a time.
unsafe impl Send for Address {}

/// Pinned memory of one copy, given back when dropped.
pub(crate) struct StagingBuffer {
    device: Arc<Device>,
    address: Address,
}

impl SyncCopies {
    /// With streams; staging buffers are made on demand.
    pub(crate) fn new(context: &Arc<driver::Context>, ordinal: u32) -> Result<SyncCopies, DeviceError> {
        Ok(SyncCopies {
            queues: StreamPool::new(context, ordinal, "copy", STREAMS)?,
            stagings: Mutex::default(),
            made: AtomicUsize::default(),
            estimates: (0..3 * 64).map(|_| Arc::default()).collect(),
        })
    }
}

impl StagingBuffer {
    /// None if all are in use, or the system has no pinned memory. The context must be current.
    fn take(device: &Arc<Device>) -> Option<StagingBuffer> {
        let spare = device.sync_copies.stagings.lock().pop();
        let address = match spare {
            Some(address) => address,
            None if device.sync_copies.made.fetch_add(1, Ordering::Relaxed) < MAX_STAGING_BUFFERS => {
                let mut memory: *mut c_void = std::ptr::null_mut();
                let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
                // SAFETY: a context is current; the result goes to a local.
                let made = unsafe { sys::cuMemHostAlloc(&mut memory, STAGING_BUFFER_SIZE, flags) };
                driver::check(made).ok()?;
                Address(memory.cast())
            }
            None => return None,
        };
        Some(StagingBuffer { device: Arc::clone(device), address })
    }
}

impl StagingBuffer {
    /// The same for the host and the device.
    pub(crate) fn address(&self) -> *mut u8 {
        self.address.0
    }
}

impl Drop for StagingBuffer {
    fn drop(&mut self) {
        self.device.sync_copies.stagings.lock().push(self.address);
    }
}

impl Device {
    /// Copies to the device. A copy whose end the caller may poll for is returned.
    ///
    /// # Safety
    /// The host memory is valid until `done` is called.
    pub unsafe fn copy_in(self: &Arc<Self>, piece: Upload, done: OnComplete) -> Option<Completion> {
        if piece.bytes == 0 {
            done(Ok(()));
            return None;
        }
        let length = piece.bytes as usize;
        let done = self.writes(done);
        if let Some(staging) = self.staging_for(length) {
            let address = staging.address;
            // SAFETY: the caller's memory; the staging buffer is long enough and this copy's alone.
            unsafe { std::ptr::copy_nonoverlapping(piece.source, address.0, length) };
            let done = keeping(staging, done);
            return self.submit_copy(Direction::ToDevice, piece.bytes, done, |stream| {
                // SAFETY: valid memory on both sides until `done`.
                driver::check(unsafe {
                    sys::cuMemcpyHtoDAsync_v2(piece.target, address.0.cast(), length, stream.0)
                })
            });
        }
        let start = piece.source as usize;
        let Some(parts) = auto_pin::whole(start, length) else {
            // SAFETY: the caller vouches for the host memory until `done`.
            unsafe { self.upload(vec![piece], done) };
            return None;
        };
        let ranges = parts.ranges();
        self.submit_copy(Direction::ToDevice, piece.bytes, keeping(parts, done), |stream| {
            ranges.into_iter().try_for_each(|range| {
                let at = range.start - start;
                // SAFETY: valid memory on both sides until `done`.
                driver::check(unsafe {
                    let source = piece.source.add(at).cast();
                    sys::cuMemcpyHtoDAsync_v2(piece.target + at as u64, source, range.len(), stream.0)
                })
            })
        })
    }

    /// Copies from the device. A copy whose end the caller may poll for is returned.
    ///
    /// # Safety
    /// The host memory is valid, and the copy's alone to write, until `done` is called.
    pub unsafe fn copy_out(
        self: &Arc<Self>,
        source: u64,
        target: *mut u8,
        bytes: u64,
        done: OnComplete,
    ) -> Option<Completion> {
        if bytes == 0 {
            done(Ok(()));
            return None;
        }
        let (length, piece) = (bytes as usize, Download { source, target, bytes });
        let done = keeping(Changing::new(target as usize, length), done);
        // SAFETY: the caller vouches for the host memory until `done`.
        let done = unsafe { self.take_speculative_read(piece, done)? };
        if let Some(staging) = self.staging_for(length) {
            let address = staging.address;
            return self.submit_copy(Direction::ToHost, bytes, emptying(staging, piece, done), |stream| {
                // SAFETY: the staging buffer is long enough and this copy's alone.
                driver::check(unsafe {
                    sys::cuMemcpyDtoHAsync_v2(address.0.cast(), source, length, stream.0)
                })
            });
        }
        let start = target as usize;
        let Some(parts) = auto_pin::whole(start, length) else {
            // SAFETY: the caller vouches for the host memory until `done`.
            unsafe { self.download(source, target, bytes, done) };
            return None;
        };
        let ranges = parts.ranges();
        self.submit_copy(Direction::ToHost, bytes, keeping(parts, done), |stream| {
            ranges.into_iter().try_for_each(|range| {
                let at = range.start - start;
                // SAFETY: valid memory on both sides until `done`.
                driver::check(unsafe {
                    let target = target.add(at).cast();
                    sys::cuMemcpyDtoHAsync_v2(target, source + at as u64, range.len(), stream.0)
                })
            })
        })
    }

    /// Copies to this or another device of the process. A copy whose end the caller may poll for is
    /// returned.
    pub fn copy_to(
        self: &Arc<Self>,
        source: u64,
        other: &Arc<Device>,
        target: u64,
        bytes: u64,
        done: OnComplete,
    ) -> Option<Completion> {
        if bytes == 0 || (Arc::ptr_eq(self, other) && source == target) {
            done(Ok(()));
            return None;
        }
        let length = bytes as usize;
        let done = other.writes(done);
        if !Arc::ptr_eq(self, other) {
            return self.submit_copy(Direction::BetweenDevices, bytes, done, |stream| {
                self.context.reach(&other.context);
                let (from, to) = (self.context.raw(), other.context.raw());
                // SAFETY: both ranges are the program's own on their devices.
                driver::check(unsafe { sys::cuMemcpyPeerAsync(target, to, source, from, length, stream.0) })
            });
        }
        let within = |stream: &Stream, target, source| {
            // SAFETY: ranges of this device, which do not overlap.
            driver::check(unsafe { sys::cuMemcpyDtoDAsync_v2(target, source, length, stream.0) })
        };
        if source.abs_diff(target) >= bytes {
            return self.submit_copy(Direction::BetweenDevices, bytes, done, |stream| {
                within(stream, target, source)
            });
        }
        match Buffer::new(self, bytes) {
            Err(error) => {
                done(Err(error));
                None
            }
            Ok(buffer) => {
                let address = buffer.address();
                self.submit_copy(Direction::BetweenDevices, bytes, keeping(buffer, done), |stream| {
                    within(stream, address, source)?;
                    within(stream, target, address)
                })
            }
        }
    }

    /// A copy of host memory that the device can read by itself, and its address; None if it is too long or
    /// there is no room.
    ///
    /// # Safety
    /// The memory is valid.
    pub(crate) unsafe fn stage(
        self: &Arc<Self>,
        source: *const u8,
        bytes: u64,
    ) -> Option<(StagingBuffer, *const u8)> {
        let length = usize::try_from(bytes).ok()?;
        let staging = self.staging_for(length)?;
        let address = staging.address.0;
        // SAFETY: the caller's memory; the staging buffer is long enough and this copy's alone.
        unsafe { std::ptr::copy_nonoverlapping(source, address, length) };
        Some((staging, address))
    }

    fn estimate(&self, direction: Direction, bytes: u64) -> Arc<DurationEstimate> {
        Arc::clone(&self.sync_copies.estimates[64 * direction as usize + bytes.ilog2() as usize])
    }

    pub(crate) fn staging_for(self: &Arc<Self>, bytes: usize) -> Option<StagingBuffer> {
        if bytes > STAGING_BUFFER_SIZE || self.context.enter().is_err() {
            return None;
        }
        StagingBuffer::take(self)
    }

    fn submit_copy(
        self: &Arc<Self>,
        direction: Direction,
        bytes: u64,
        done: OnComplete,
        start: impl FnOnce(&Stream) -> Result<(), Failure>,
    ) -> Option<Completion> {
        let record = match self.context.enter().and_then(|()| Record::new(self)) {
            Ok(record) => record,
            Err(error) => {
                done(Err(error));
                return None;
            }
        };
        let ended = record.ended();
        let estimate = self.estimate(direction, bytes);
        let order = Submission { done: keeping(record, done), ended, estimate, what: "copy" };
        let failed = |failure| DeviceError::driver(&self.label(), "copy", &failure);
        self.sync_copies.queues.pick().submit(
            |stream| start(stream).map(|()| EndSignal::ByStream),
            order,
            failed,
        )
    }
}

/// Memory that a device writes to, which raises no faults: its watches are released before and after.
struct Changing(usize, usize);

impl Changing {
    fn new(start: usize, bytes: usize) -> Changing {
        page_watch::release(start, bytes);
        Changing(start, bytes)
    }
}

impl Drop for Changing {
    fn drop(&mut self) {
        page_watch::release(self.0, self.1);
    }
}

/// Drops `kept` before `done` is called.
pub(crate) fn keeping<K: Send + 'static>(kept: K, done: OnComplete) -> OnComplete {
    Box::new(move |result| {
        drop(kept);
        done(result);
    })
}

/// Copies what has arrived in a staging buffer, gives the buffer back, then calls `done`.
fn emptying(staging: StagingBuffer, piece: Download, done: OnComplete) -> OnComplete {
    let target = Address(piece.target);
    Box::new(move |result| {
        let target = target;
        if result.is_ok() {
            // SAFETY: the copy into the staging buffer has ended; the target is valid until `done`.
            unsafe { std::ptr::copy_nonoverlapping(staging.address(), target.0, piece.bytes as usize) };
        }
        drop(staging);
        done(result);
    })
}
