//! Memory that the host and a device know by the same addresses: all that the host has (CUDA C++ Programming
//! Guide, Unified Memory on devices with full support), or managed and registered memory.

use std::ffi::c_void;

use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::{Attribute, sys};
use crate::device::error::{DeviceError, Kind};
use crate::device::team::TeamStream;

/// Which memory of the host a device reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All of it.
    All,
    /// Managed memory, and memory that is registered.
    Registered,
}

impl Device {
    /// Which memory of the host the device reaches.
    ///
    /// # Errors
    /// It has not what a team needs: the words say what.
    pub(crate) fn reach(&self) -> Result<Reach, DeviceError> {
        use sys::CUdevice_attribute_enum::*;
        let has = |attribute: Attribute| Ok(self.context.device().attribute(attribute)? != 0);
        if !has(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? {
            let message = format!("{self} cannot run all blocks of a kernel at the same time");
            return Err(DeviceError::new(Kind::Unsupported, message));
        }
        if has(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS)? {
            return Ok(Reach::All);
        }
        let is_registered = has(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)?
            && has(CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)?;
        if is_registered {
            return Ok(Reach::Registered);
        }
        let message = format!("{self} and the host cannot share memory at the same addresses");
        Err(DeviceError::new(Kind::Unsupported, message))
    }

    /// Memory that moves between the host and the device; null if there is none.
    pub(crate) fn allocate_managed(&self, bytes: usize) -> *mut u8 {
        if self.context.enter().is_err() {
            return std::ptr::null_mut();
        }
        let mut address = 0;
        let flags = sys::CUmemAttach_flags_enum::CU_MEM_ATTACH_GLOBAL as u32;
        // SAFETY: a context is current; the result goes to a local.
        match driver::check(unsafe { sys::cuMemAllocManaged(&mut address, bytes, flags) }) {
            Ok(()) => address as *mut u8,
            Err(_) => std::ptr::null_mut(),
        }
    }

    /// Bytes of device memory that are free.
    pub(crate) fn free_bytes(&self) -> u64 {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context is current if it can be; results go to locals.
        let known = self.context.enter().is_ok()
            && driver::check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }).is_ok();
        if known { free as u64 } else { 0 }
    }

    /// Gives the device access to pages of the host, at their addresses. They stay in the host's memory.
    ///
    /// # Safety
    /// The pages stay there until the process ends.
    pub(crate) unsafe fn register_pages(&self, start: usize, bytes: usize) -> Result<(), DeviceError> {
        self.context.enter()?;
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE | sys::CU_MEMHOSTREGISTER_DEVICEMAP;
        // SAFETY: the caller's pages.
        let result = unsafe { sys::cuMemHostRegister_v2(start as *mut c_void, bytes, flags) };
        self.check(result, &format!("reach {bytes} bytes of the host's memory at {start:#x}"))
    }

    /// Takes back the device's access to pages that were registered from this address on.
    pub(crate) fn unregister_pages(&self, start: usize) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: the driver knows what is registered; no kernel uses it any more.
        let result = unsafe { sys::cuMemHostUnregister(start as *mut c_void) };
        self.check(result, &format!("give back the host's memory at {start:#x}"))
    }

    /// Moves managed memory to the device. That is faster than letting its threads ask for each page.
    pub(crate) fn prefetch(&self, stream: &TeamStream, address: usize, bytes: usize) {
        // The call is one of version 12.2 of the driver.
        if driver::driver_version().is_none_or(|it| it < 12_020) {
            return;
        }
        let location = sys::CUmemLocation {
            type_: sys::CUmemLocationType_enum::CU_MEM_LOCATION_TYPE_DEVICE,
            id: self.ordinal as i32,
        };
        // SAFETY: managed memory and a stream of the device. Without it the memory moves page by page.
        unsafe { sys::cuMemPrefetchAsync_v2(address as u64, bytes, location, 0, stream.raw()) };
    }
}
