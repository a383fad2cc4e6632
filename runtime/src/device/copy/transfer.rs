//! Transfers of device memory by the network instead of the driver.
//!
//! The network waits for no stream. It need not: the program has waited for the kernels and copies that
//! precede a transfer, and these have then ended on the device.

use std::io;
use std::sync::Arc;

use crate::device::Device;
use crate::device::copy::speculative_read::Writing;
use crate::device::error::DeviceError;
use crate::net::device_memory::{DeviceContext, DeviceMemory};

/// Memory of a device that the network reads or writes: it stays allocated until this is dropped.
pub struct Transfer {
    /// The memory.
    pub memory: DeviceMemory,
    device: Arc<Device>,
    start: u64,
    /// Dropped with the transfer.
    _writing: Option<Writing>,
}

impl Transfer {
    /// The network will read this memory of the program.
    ///
    /// # Errors
    /// It is no memory of the program on this device.
    pub fn from_device(device: &Arc<Device>, address: u64, length: u64) -> Result<Transfer, DeviceError> {
        Transfer::new(device, address, length, None)
    }

    /// The network will write this memory of the program.
    ///
    /// # Errors
    /// It is no memory of the program on this device.
    pub fn to_device(device: &Arc<Device>, address: u64, length: u64) -> Result<Transfer, DeviceError> {
        Transfer::new(device, address, length, Some(device.writing()))
    }

    fn new(
        device: &Arc<Device>,
        address: u64,
        length: u64,
        writing: Option<Writing>,
    ) -> Result<Transfer, DeviceError> {
        let start = device.begin_transfer(address, length)?;
        let context: Arc<dyn DeviceContext> = Arc::<Device>::clone(device);
        let memory = DeviceMemory { address, length, context };
        Ok(Transfer { memory, device: Arc::clone(device), start, _writing: writing })
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        self.device.end_transfer(self.start);
    }
}

impl DeviceContext for Device {
    fn enter(&self) -> io::Result<()> {
        self.context.enter().map_err(|error| io::Error::other(error.message))
    }
}
