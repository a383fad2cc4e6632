//! Copies of host memory that the device of this process has, for constructs that communicate them.

use super::abi::devices;
use super::memory::TargetDevice;
use super::present_table::{Memory, Presence};

/// A range of host memory that has a copy on the device.
pub(crate) struct Resident {
    device: &'static TargetDevice,
    address: u64,
}

/// Why a copy cannot be used.
#[derive(Debug)]
pub(crate) enum Problem {
    /// There is none.
    Absent,
    /// The device failed: the words for the user.
    Device(String),
}

/// Whether this process has a device.
pub(crate) fn has_device() -> bool {
    devices().is_some_and(|it| it.count() > 0)
}

/// The copy of a range on the first device; `None` without a device, or for no bytes.
///
/// # Errors
/// There is no copy of all of it, or the device cannot be used.
pub(crate) fn find(address: usize, bytes: u64) -> Result<Option<Resident>, Problem> {
    let Some(devices) = devices() else { return Ok(None) };
    let device = devices.find(0).map_err(|it| Problem::Device(it.message))?;
    let Some(device) = device.filter(|_| bytes > 0) else { return Ok(None) };
    let presence = device.table.lock().presence(address, bytes);
    match presence {
        Presence::Present(address) => Ok(Some(Resident { device, address })),
        Presence::Absent | Presence::Partial { .. } => Err(Problem::Absent),
    }
}

impl Resident {
    /// Copies bytes from an offset on to the host.
    ///
    /// # Errors
    /// The device failed: the words for the user.
    ///
    /// # Safety
    /// The bytes are inside of the range; `host` has room for them.
    pub(crate) unsafe fn download(&self, offset: u64, host: *mut u8, bytes: usize) -> Result<(), String> {
        // SAFETY: the caller's.
        unsafe { self.device.download(self.address + offset, host, bytes as u64) }.map_err(|it| it.message)
    }

    /// Copies bytes of the host to an offset.
    ///
    /// # Errors
    /// The device failed: the words for the user.
    ///
    /// # Safety
    /// The bytes are inside of the range; `host` has them.
    pub(crate) unsafe fn upload(&self, host: *const u8, offset: u64, bytes: usize) -> Result<(), String> {
        // SAFETY: the caller's.
        unsafe { self.device.upload(host, self.address + offset, bytes as u64) }.map_err(|it| it.message)
    }
}
