//! Memory of a device for the engine of slots: long elements, copied by the thread that completes a
//! message.

use std::any::Any;
use std::sync::Arc;

use crate::device::cuda::driver::Context;
use crate::device::error::DeviceError;
use crate::slots::request::{DeviceMemory, Failure};

/// Copies from and to the memory of a device. Each has ended when its method returns.
pub(super) trait Copies: Send + Sync + std::fmt::Debug {
    /// Copies as many bytes of device memory to the host.
    ///
    /// # Safety
    /// The memory is there, and is left alone meanwhile.
    unsafe fn read(&self, from: u64, into: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies bytes of the host to device memory.
    ///
    /// # Safety
    /// The memory is there, and nothing else accesses it meanwhile.
    unsafe fn write(&self, to: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies bytes of the memory of another device, or of this one, to its own.
    ///
    /// # Safety
    /// As for `read` and `write`.
    unsafe fn copy(&self, to: u64, source: &dyn Copies, from: u64, bytes: usize) -> Result<(), DeviceError>;

    /// The device's context; none of a device that tests imitate.
    fn context(&self) -> Option<&Arc<Context>>;
}

/// Elements of a call in the memory of its device.
#[derive(Debug)]
pub(super) struct Elements {
    pub copies: Arc<dyn Copies>,
    /// Inside of a rail of the kernel, whose block waits for the call, or for what it has begun.
    pub address: u64,
    pub bytes: usize,
}

impl DeviceMemory for Elements {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn read(&self, into: &mut [u8]) -> Result<(), Failure> {
        let count = into.len().min(self.bytes);
        // SAFETY: by `address`.
        failed(unsafe { self.copies.read(self.address, &mut into[..count]) })
    }

    fn write(&self, from: &[u8]) -> Result<(), Failure> {
        // SAFETY: by `address`.
        failed(unsafe { self.copies.write(self.address, &from[..from.len().min(self.bytes)]) })
    }

    fn copy_from(&self, source: &dyn DeviceMemory) -> Result<(), Failure> {
        let count = source.bytes().min(self.bytes);
        match source.as_any().downcast_ref::<Elements>() {
            Some(from) => {
                // SAFETY: by `address`, on both sides.
                failed(unsafe { self.copies.copy(self.address, &*from.copies, from.address, count) })
            }
            None => {
                let mut bytes = vec![0; count];
                source.read(&mut bytes)?;
                self.write(&bytes)
            }
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn failed(result: Result<(), DeviceError>) -> Result<(), Failure> {
    result.map_err(|error| Failure::operation(error.message))
}
