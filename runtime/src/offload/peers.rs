//! Memory of a GPU that other processes of this host reach, theirs that it reaches, and copies between them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::memory::TargetDevice;
use super::present_table::Memory;
use crate::device::{BoxCopier, BoxCopy, Device, DeviceError, PeerHandle};

/// Memory that other processes of this host reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exported {
    /// What names its allocation.
    pub(crate) handle: PeerHandle,
    /// Where in that it begins.
    pub(crate) offset: u64,
    /// The bytes from there to the end of the allocation.
    pub(crate) bytes: u64,
}

impl Exported {
    fn new(handle: PeerHandle, offset: u64, bytes_of_allocation: u64) -> Exported {
        Exported { handle, offset, bytes: bytes_of_allocation - offset }
    }
}

/// What a GPU has to do with other processes.
#[derive(Default)]
pub(super) struct Peers {
    /// The allocations that others may have mapped, by address.
    exported: Mutex<BTreeMap<u64, (PeerHandle, u64)>>,
    /// The driver has no handles for memory of this device.
    has_no_handles: AtomicBool,
    /// Where allocations of others are mapped; `None`: they cannot be reached.
    opened: Mutex<FxHashMap<PeerHandle, Option<u64>>>,
    copier: OnceLock<Result<BoxCopier, DeviceError>>,
    /// Memory for elements that go by way of the host: its address and bytes. Locked while it is used.
    staging: Mutex<(u64, u64)>,
}

impl Peers {
    /// Whether other processes may have mapped the allocation at an address.
    pub(super) fn is_exported(&self, address: u64) -> bool {
        self.exported.lock().contains_key(&address)
    }

    fn copier(&self, device: &Arc<Device>) -> Result<&BoxCopier, DeviceError> {
        self.copier.get_or_init(|| BoxCopier::new(device)).as_ref().map_err(Clone::clone)
    }
}

impl TargetDevice {
    /// The part from an address on of the allocation that contains it; `None` without a handle.
    ///
    /// Only allocations of [`Memory::allocate`] are exported. Those are of `cuMemAlloc`, which handles exist
    /// for, and are kept from the driver until the process ends, as it demands of memory that others may have
    /// mapped. Other memory that the program has mapped or associated may be released at any time.
    pub(super) fn export(&self, address: u64) -> Option<Exported> {
        let device = self.device().ok()??;
        let mut exported = self.peers.exported.lock();
        if let Some((start, (handle, bytes))) = exported.range(..=address).next_back()
            && address - start < *bytes
        {
            return Some(Exported::new(*handle, address - start, *bytes));
        }
        if !self.has_memory(address) || self.peers.has_no_handles.load(Ordering::Relaxed) {
            return None;
        }
        let Some((handle, start, bytes)) = device.export(address) else {
            // The same for all allocations: of virtual machines, and of instances of a divided GPU.
            self.peers.has_no_handles.store(true, Ordering::Relaxed);
            return None;
        };
        exported.insert(start, (handle, bytes));
        Some(Exported::new(handle, address - start, bytes))
    }

    /// Where this device reaches an allocation of another process; `None` if it does not.
    pub(super) fn open(&self, handle: &PeerHandle) -> Option<u64> {
        let device = self.device().ok()??;
        let mut opened = self.peers.opened.lock();
        *opened.entry(*handle).or_insert_with(|| {
            device
                .map_peer(handle)
                .inspect_err(|error| tracing::debug!(%error.message, "no peer memory"))
                .ok()
        })
    }

    /// Begins copies between memory that this GPU reaches.
    ///
    /// # Errors
    /// The device failed.
    ///
    /// # Safety
    /// The boxes stay valid until [`TargetDevice::end_copies`] returns.
    pub(super) unsafe fn begin_copies(&self, copies: &[BoxCopy]) -> Result<(), DeviceError> {
        match self.device()? {
            // SAFETY: the caller's.
            Some(device) => unsafe { self.peers.copier(device)?.submit(copies) },
            None => Ok(()),
        }
    }

    /// Waits for the end of all copies.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn end_copies(&self) -> Result<(), DeviceError> {
        match self.device()? {
            Some(device) => self.peers.copier(device)?.wait(),
            None => Ok(()),
        }
    }

    /// Gives memory for elements on their way back if it is not in use: whether there was some.
    ///
    /// # Errors
    /// The device failed.
    pub(super) fn release_staging(&self) -> Result<bool, DeviceError> {
        let staging = self.peers.staging.try_lock().map(|mut it| std::mem::take(&mut *it));
        match staging {
            Some((address, bytes)) if bytes > 0 => self.free(address).map(|()| true),
            _ => Ok(false),
        }
    }

    /// Uses memory of the device for `bytes` bytes on their way to or from the host.
    pub(super) fn staged<T>(
        &self,
        bytes: u64,
        use_it: impl FnOnce(u64) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        let mut staging = self.peers.staging.lock();
        if staging.1 < bytes {
            if staging.1 > 0 {
                self.free(std::mem::take(&mut *staging).0)?;
            }
            *staging = (self.allocate(bytes)?, bytes);
        }
        use_it(staging.0)
    }
}
