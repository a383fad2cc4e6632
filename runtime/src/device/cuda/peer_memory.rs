//! Memory of a device that other processes of this host reach (CUDA driver API, "Memory Management": handles
//! of `cuIpcGetMemHandle`).

use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::error::DeviceError;

/// Bytes of a handle.
pub const HANDLE_BYTES: usize = 64;

/// What names an allocation of a device to other processes.
pub type Handle = [u8; HANDLE_BYTES];

impl Device {
    /// The handle of the allocation that contains an address, where that begins, and its bytes; `None` where
    /// the driver has no handles for it.
    pub fn export(&self, address: u64) -> Option<(Handle, u64, u64)> {
        self.context.enter().ok()?;
        let (mut start, mut bytes) = (0, 0);
        let mut handle = sys::CUipcMemHandle { reserved: [0; HANDLE_BYTES] };
        // SAFETY: a context of this device is current; results go to locals.
        unsafe {
            driver::check(sys::cuMemGetAddressRange_v2(&mut start, &mut bytes, address)).ok()?;
            driver::check(sys::cuIpcGetMemHandle(&mut handle, start)).ok()?;
        }
        Some((handle.reserved.map(|it| it as u8), start, bytes as u64))
    }

    /// The address under which this device reaches an allocation of another process of this host, whose
    /// device may be another one. It stays mapped as long as this one runs.
    ///
    /// # Errors
    /// The devices do not reach each other, or the handle is of no memory.
    pub fn map_peer(&self, handle: &Handle) -> Result<u64, DeviceError> {
        self.context.enter()?;
        let mut address = 0;
        let handle = sys::CUipcMemHandle { reserved: handle.map(|it| it as std::ffi::c_char) };
        let flags = sys::CUipcMem_flags_enum::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        // SAFETY: a context of this device is current; the result goes to a local.
        let result = unsafe { sys::cuIpcOpenMemHandle_v2(&mut address, handle, flags) };
        self.check(result, "reach memory of another process")?;
        Ok(address)
    }
}
