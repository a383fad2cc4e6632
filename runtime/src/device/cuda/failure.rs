//! Failures of the CUDA driver.

use std::ffi::{CStr, c_char};

use cudarc::driver::sys;

/// An error code of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(super) sys::CUresult);

impl Failure {
    /// A thread that worked with the device has failed.
    pub(crate) const UNFINISHED: Failure = Failure(sys::CUresult::CUDA_ERROR_UNKNOWN);

    /// The device's memory is used up.
    pub(crate) fn is_out_of_memory(self) -> bool {
        self.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }

    /// The process's work on this device is lost for good.
    pub(crate) fn is_fatal(self) -> bool {
        use sys::CUresult::*;
        matches!(
            self.0,
            CUDA_ERROR_ILLEGAL_ADDRESS
                | CUDA_ERROR_LAUNCH_FAILED
                | CUDA_ERROR_LAUNCH_TIMEOUT
                | CUDA_ERROR_ILLEGAL_INSTRUCTION
                | CUDA_ERROR_MISALIGNED_ADDRESS
                | CUDA_ERROR_INVALID_ADDRESS_SPACE
                | CUDA_ERROR_INVALID_PC
                | CUDA_ERROR_HARDWARE_STACK_ERROR
                | CUDA_ERROR_ASSERT
                | CUDA_ERROR_ECC_UNCORRECTABLE
        )
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |get: unsafe fn(sys::CUresult, *mut *const c_char) -> sys::CUresult| {
            let mut text = std::ptr::null();
            // SAFETY: the driver is loaded, since it has failed; it gives out static text or null.
            let found = unsafe { get(self.0, &mut text) } == sys::CUresult::CUDA_SUCCESS && !text.is_null();
            // SAFETY: as above.
            found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        match (text(sys::cuGetErrorString), text(sys::cuGetErrorName)) {
            (Some(words), Some(name)) => write!(f, "{words} ({name})"),
            _ => write!(f, "{:?}", self.0),
        }
    }
}
