//! Copies of long messages by a device's copy engine: from the memory of one device to that of another
//! directly, and between a device and the host through two pinned buffers in alternation (double buffering).
//! Whatever thread completes a message copies it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::device_memory::Copies;
use super::memory::allocate_pinned;
use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Context, sys};
use crate::device::cuda::failure::Failure;
use crate::device::cuda::stream::{Event, Stream};
use crate::device::error::DeviceError;

/// Bytes of a pinned buffer.
const BUFFER_BYTES: usize = 256 << 10;
/// How long a thread polls for the end of a copy before it sleeps.
const POLL_TIME: Duration = Duration::from_millis(1);

/// The copies of a device, one of each direction at a time.
pub(super) struct Transfers {
    context: Arc<Context>,
    to_host: Mutex<Transfer>,
    to_device: Mutex<Transfer>,
}

impl std::fmt::Debug for Transfers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transfers")
    }
}

impl Transfers {
    /// Makes streams and buffers. The context must be current.
    pub(super) fn new(device: &Arc<Device>) -> Result<Transfers, DeviceError> {
        let (to_host, to_device) = (Mutex::new(Transfer::new(device)?), Mutex::new(Transfer::new(device)?));
        Ok(Transfers { context: Arc::clone(&device.context), to_host, to_device })
    }
}

impl Copies for Transfers {
    unsafe fn read(&self, from: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: by the caller.
        unsafe { self.to_host.lock().read(from, into) }
    }

    unsafe fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: by the caller.
        unsafe { self.to_device.lock().write(to, bytes) }
    }

    unsafe fn copy(&self, to: u64, source: &dyn Copies, from: u64, bytes: usize) -> Result<(), DeviceError> {
        self.context.enter()?;
        let other = source.context().unwrap_or(&self.context);
        if !Arc::ptr_eq(other, &self.context) {
            self.context.reach(other);
        }
        // SAFETY: by the caller.
        unsafe { self.to_device.lock().copy(&self.context, to, (other, from), bytes) }
    }

    fn context(&self) -> Option<&Arc<Context>> {
        Some(&self.context)
    }
}

/// A stream of its own, on which copies run beside the kernel, and buffers.
struct Transfer {
    device: String,
    stream: Stream,
    buffers: [Buffer; 2],
}

struct Buffer {
    address: *mut u8,
    copied: Event,
}

// SAFETY: pinned memory that is never released, of one transfer.
unsafe impl Send for Buffer {}

impl Transfer {
    /// Makes stream and buffers. The context must be current.
    fn new(device: &Arc<Device>) -> Result<Transfer, DeviceError> {
        let error = |failure| DeviceError::driver(&device.label(), "copy messages", &failure);
        let buffer = || {
            let copied = Event::new().map_err(error)?;
            Ok(Buffer { address: allocate_pinned(device, BUFFER_BYTES)?, copied })
        };
        Ok(Transfer {
            device: device.label(),
            stream: Stream::new().map_err(error)?,
            buffers: [buffer()?, buffer()?],
        })
    }

    /// The buffer for the bytes from `at` on.
    fn buffer(&self, at: usize) -> &Buffer {
        &self.buffers[at / BUFFER_BYTES % self.buffers.len()]
    }

    /// After an error, copies that have begun end before their buffers are used again.
    fn checked(&self, result: Result<(), Failure>) -> Result<(), DeviceError> {
        result.map_err(|failure| {
            self.stream.drain();
            DeviceError::driver(&self.device, "copy a message", &failure)
        })
    }

    /// As [`Copies::read`]. The context must be current.
    unsafe fn read(&self, from: u64, into: &mut [u8]) -> Result<(), DeviceError> {
        let bytes = into.len();
        let length = |at: usize| BUFFER_BYTES.min(bytes - at);
        let start = |at: usize| {
            let buffer = self.buffer(at);
            // SAFETY: by the caller; the buffer is long enough, and its last content is in `into`.
            driver::check(unsafe {
                sys::cuMemcpyDtoHAsync_v2(buffer.address.cast(), from + at as u64, length(at), self.stream.0)
            })?;
            buffer.copied.record(&self.stream)
        };
        let mut run = || {
            for at in (0..bytes).step_by(BUFFER_BYTES) {
                if at == 0 {
                    start(0)?;
                }
                if at + BUFFER_BYTES < bytes {
                    start(at + BUFFER_BYTES)?;
                }
                let buffer = self.buffer(at);
                wait(&buffer.copied)?;
                // SAFETY: the device has written these bytes.
                let read = unsafe { std::slice::from_raw_parts(buffer.address, length(at)) };
                into[at..at + length(at)].copy_from_slice(read);
            }
            Ok(())
        };
        self.checked(run())
    }

    /// As [`Copies::write`]. The context must be current.
    unsafe fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let run = || {
            for (number, piece) in bytes.chunks(BUFFER_BYTES).enumerate() {
                let at = number * BUFFER_BYTES;
                let buffer = self.buffer(at);
                if number >= self.buffers.len() {
                    wait(&buffer.copied)?;
                }
                // SAFETY: the buffer is long enough, and its last content is on the device; the target by the
                // caller.
                unsafe {
                    std::ptr::copy_nonoverlapping(piece.as_ptr(), buffer.address, piece.len());
                    let address = buffer.address.cast();
                    driver::check(sys::cuMemcpyHtoDAsync_v2(
                        to + at as u64,
                        address,
                        piece.len(),
                        self.stream.0,
                    ))?;
                }
                buffer.copied.record(&self.stream)?;
            }
            self.buffers.iter().take(bytes.len().div_ceil(BUFFER_BYTES)).try_for_each(|it| wait(&it.copied))
        };
        self.checked(run())
    }

    /// As [`Copies::copy`], from memory of a context to that of the current one.
    unsafe fn copy(
        &self,
        context: &Context,
        to: u64,
        (other, from): (&Context, u64),
        bytes: usize,
    ) -> Result<(), DeviceError> {
        let run = || {
            // SAFETY: by the caller.
            driver::check(unsafe {
                sys::cuMemcpyPeerAsync(to, context.raw(), from, other.raw(), bytes, self.stream.0)
            })?;
            let [Buffer { copied, .. }, _] = &self.buffers;
            copied.record(&self.stream)?;
            wait(copied)
        };
        self.checked(run())
    }
}

fn wait(event: &Event) -> Result<(), Failure> {
    event.poll(Instant::now() + POLL_TIME, || true).unwrap_or_else(|| event.wait())
}
