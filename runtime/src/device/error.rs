//! Errors of devices.

use crate::device::cuda::failure::Failure;

/// Which X10 exception an error becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `OutOfMemoryError`.
    OutOfMemory,
    /// `IllegalArgumentException`: an address or range that is not of this device.
    IllegalArgument,
    /// `IllegalOperationException`: a launch that this device cannot do.
    IllegalOperation,
    /// `NegativeArraySizeException`: of a rail in shared memory.
    NegativeSize,
    /// `BadPlaceException`: memory of another place.
    BadPlace,
    /// `UnsupportedOperationException`: no driver, no compiler.
    Unsupported,
    /// `ArrayIndexOutOfBoundsException`.
    Bounds,
    /// `NullPointerException`.
    NullPointer,
    /// `ArithmeticException`.
    Arithmetic,
    /// `InternalError`: the driver or the device failed.
    Internal,
}

/// An error of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceError {
    /// Which exception it becomes.
    pub kind: Kind,
    /// What happened, with the limits and values that matter.
    pub message: String,
}

/// Source location of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelLocation {
    /// `.x10` file.
    pub file: String,
    /// 1-based line.
    pub line: u32,
}

impl DeviceError {
    /// An error of that kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> DeviceError {
        DeviceError { kind, message: message.into() }
    }

    /// No driver, or no compiler.
    pub(super) fn unavailable(message: String) -> DeviceError {
        DeviceError::new(Kind::Unsupported, message)
    }

    /// The driver refused to do `what`.
    pub(super) fn driver(device: &str, what: &str, failure: &Failure) -> DeviceError {
        let kind = if failure.is_out_of_memory() { Kind::OutOfMemory } else { Kind::Internal };
        let mut message = format!("{device} cannot {what}: {failure}");
        if failure.is_fatal() {
            message.push_str(
                "; a kernel has failed on the device, which cannot be used again by this process (a kernel that reads or \
                 writes outside an array or allocation does this)",
            );
        }
        DeviceError::new(kind, message)
    }

    /// The same, with the location of the kernel.
    pub(super) fn at(mut self, place: &KernelLocation) -> DeviceError {
        self.message = format!("{}:{}: kernel: {}", place.file, place.line, self.message);
        self
    }
}

impl std::fmt::Display for DeviceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DeviceError {}
