//! The stacks of threads of kernels (CUDA Driver API, `CU_LIMIT_STACK_SIZE`). The driver gives each thread
//! what the code needs by itself; of functions that call themselves it does not know how much that is.

use std::ffi::CStr;

use crate::device::Device;
use crate::device::cuda::driver::sys;
use crate::device::error::DeviceError;

/// The variable with the bytes of the stack of a thread.
pub(crate) const STACK_VARIABLE: &str = "APG_DEVICE_STACK";
/// The device's variable with that number (apg_device.h).
const STACK_BYTES: &CStr = c"apg_stack_bytes";
/// The stack of a thread for functions that call themselves.
const RECURSION_BYTES: usize = 64 << 10;
/// The stacks of all threads that the device holds take at most this part of its free memory.
const MEMORY_PART: usize = 4;
/// The most threads that a multiprocessor holds (CUDA C++ Programming Guide, "Compute Capabilities").
const THREADS: usize = 2048;
/// The smallest stack.
const MIN_BYTES: usize = 4096;

impl Device {
    /// Gives threads of kernels at least `wanted` bytes of stack; returns what they have. The device's
    /// context is current.
    pub(in crate::device) fn raise_stack(&self, wanted: usize) -> Result<usize, DeviceError> {
        let limit = sys::CUlimit_enum::CU_LIMIT_STACK_SIZE;
        let mut known = 0;
        // SAFETY: a context is current; the result goes to a local.
        let found = unsafe { sys::cuCtxGetLimit(&mut known, limit) };
        self.check(found, "tell the size of a stack")?;
        if known >= wanted {
            return Ok(known);
        }
        // SAFETY: a context is current.
        let changed = unsafe { sys::cuCtxSetLimit(limit, wanted) };
        self.check(changed, &format!("give each thread a stack of {wanted} bytes"))?;
        Ok(wanted)
    }

    /// Gives code with functions that call themselves larger stacks, and tells it their size
    /// ([`STACK_BYTES`]). The image of other code has no such name: a request for it would fail, and tools
    /// that watch the driver would report an error. The device's context is current.
    pub(super) fn prepare_recursion(&self, module: sys::CUmodule, image: &[u8]) -> Result<(), DeviceError> {
        if memchr::memmem::find(image, STACK_BYTES.to_bytes()).is_none() {
            return Ok(());
        }
        let (mut address, name) = (0, STACK_BYTES.as_ptr());
        // SAFETY: a module of this device; the result goes to a local.
        let found = unsafe { sys::cuModuleGetGlobal_v2(&mut address, std::ptr::null_mut(), module, name) };
        if found != sys::CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let given = std::env::var(STACK_VARIABLE).ok().and_then(|it| it.parse().ok());
        let bytes = self.raise_stack(match given {
            Some(given) => given,
            None => self.recursion_bytes()?,
        })?;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        // SAFETY: the variable, which has that size.
        let copied = unsafe { sys::cuMemcpyHtoD_v2(address, (&raw const bytes).cast(), size_of::<u32>()) };
        self.check(copied, "tell code the size of a stack")
    }

    fn recursion_bytes(&self) -> Result<usize, DeviceError> {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is current; the results go to locals.
        let found = unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) };
        self.check(found, "tell how much memory is free")?;
        Ok(stack_bytes(free, self.limits.multiprocessors as usize))
    }
}

/// The bytes of a stack for this free memory and number of multiprocessors.
fn stack_bytes(free: usize, multiprocessors: usize) -> usize {
    let most = free / MEMORY_PART / (multiprocessors.max(1) * THREADS);
    (most & !511).clamp(MIN_BYTES, RECURSION_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_take_a_part_of_the_memory() {
        assert_eq!(stack_bytes(80 << 30, 132), RECURSION_BYTES);
        assert_eq!(stack_bytes(8 << 30, 80), 25 * 512);
        assert_eq!(stack_bytes(1 << 30, 132), MIN_BYTES);
    }
}
