//! Host memory of mailboxes that the device knows by the same address. It is kept for later launches.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use super::transfer::Transfers;
use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::error::{DeviceError, KernelLocation, Kind};

/// What a device keeps for kernels that make calls of slots. One of them runs at a time: two that wait for
/// each other could starve each other.
#[derive(Default)]
pub(crate) struct Mailboxes(Mutex<State>);

#[derive(Default)]
struct State {
    /// The kernel that runs.
    running: Option<KernelLocation>,
    spare: Option<Pinned>,
    transfers: Option<Arc<Transfers>>,
}

/// Pinned memory. It is released when the process ends: sizes are powers of two, so that all together are at
/// most twice the largest.
#[derive(Clone, Copy)]
struct Pinned {
    address: *mut u8,
    bytes: usize,
}

// SAFETY: pinned memory that is never released; it belongs to one launch at a time.
unsafe impl Send for Pinned {}

/// The memory of one launch, given back when dropped.
pub(super) struct MailboxMemory {
    device: Arc<Device>,
    pinned: Pinned,
    transfers: Arc<Transfers>,
}

// SAFETY: memory that is accessed as atomic numbers, or by the one side whose call it is.
unsafe impl Sync for MailboxMemory {}

impl Mailboxes {
    /// Whether a kernel that makes calls of slots runs.
    pub(super) fn is_running(&self) -> bool {
        self.0.lock().running.is_some()
    }
}

impl MailboxMemory {
    /// Takes at least `bytes` bytes for a launch of the kernel at `location`, of which the first are 0.
    ///
    /// # Errors
    /// Another kernel that makes calls of slots runs on the device; no memory.
    pub(super) fn take(
        device: &Arc<Device>,
        (bytes, zeroed_bytes): (usize, usize),
        location: KernelLocation,
    ) -> Result<MailboxMemory, DeviceError> {
        let mut state = device.mailboxes.0.lock();
        if let Some(other) = &state.running {
            let message = format!(
                "{device} runs a kernel that makes calls of slots already, that of {}:{}; it runs one at a time: \
                 await it by a `finish` before this one starts, or make one kernel of both",
                other.file, other.line
            );
            return Err(DeviceError::new(Kind::IllegalOperation, message));
        }
        device.context.enter()?;
        let pinned = match state.spare.filter(|it| it.bytes >= bytes) {
            Some(pinned) => pinned,
            None => allocate(device, bytes.next_power_of_two())?,
        };
        let transfers = match &state.transfers {
            Some(transfers) => Arc::clone(transfers),
            None => Arc::clone(state.transfers.insert(Arc::new(Transfers::new(device)?))),
        };
        state.spare = None;
        state.running = Some(location);
        // SAFETY: memory of that many bytes that nothing uses.
        unsafe { pinned.address.write_bytes(0, zeroed_bytes) };
        Ok(MailboxMemory { device: Arc::clone(device), pinned, transfers })
    }

    /// Its first byte.
    pub(super) fn address(&self) -> *mut u8 {
        self.pinned.address
    }

    /// What copies elements that are too long for staging memory.
    pub(super) fn copies(&self) -> Arc<Transfers> {
        Arc::clone(&self.transfers)
    }
}

impl Drop for MailboxMemory {
    fn drop(&mut self) {
        let mut state = self.device.mailboxes.0.lock();
        state.running = None;
        state.spare = Some(self.pinned);
    }
}

/// Allocates host memory that the device can access. The context must be current.
pub(crate) fn allocate_pinned(device: &Device, bytes: usize) -> Result<*mut u8, DeviceError> {
    let mut memory: *mut c_void = std::ptr::null_mut();
    let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
    // SAFETY: a context is current; the result goes to a local.
    let made = unsafe { sys::cuMemHostAlloc(&mut memory, bytes, flags) };
    driver::check(made)
        .map_err(|failure| DeviceError::driver(&device.label(), "share memory with the host", &failure))?;
    Ok(memory.cast())
}

fn allocate(device: &Device, bytes: usize) -> Result<Pinned, DeviceError> {
    Ok(Pinned { address: allocate_pinned(device, bytes)?, bytes })
}
