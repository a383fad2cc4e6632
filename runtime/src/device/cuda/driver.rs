//! The CUDA driver: loading it, devices and contexts.

use std::ffi::CStr;
use std::sync::OnceLock;

use parking_lot::Mutex;

pub(crate) use cudarc::driver::sys;

use crate::device::cuda::failure::Failure;
use crate::device::error::DeviceError;

pub(crate) use sys::CUdevice_attribute_enum as Attribute;

/// The oldest driver whose functions we call: CUDA 12.
const MIN_DRIVER_VERSION: i32 = 12_000;

/// A result code as a result.
pub(crate) fn check(result: sys::CUresult) -> Result<(), Failure> {
    if result == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(Failure(result)) }
}

/// As many connections to a device as it has kernels side by side, and more: the driver's default is
/// 8, and streams that share one wait for each other (CUDA C++ Programming Guide, CUDA Environment
/// Variables). What the user has set stays.
///
/// Called before the driver starts and before there are threads of the program.
pub fn request_connections() {
    const NAME: &str = "CUDA_DEVICE_MAX_CONNECTIONS";
    if std::env::var_os(NAME).is_none() {
        // SAFETY: the program has no threads yet, and those that have compiled it are idle.
        unsafe { std::env::set_var(NAME, "32") };
    }
}

/// Loads and starts the driver, once. The error says why it cannot be used.
pub(crate) fn ready() -> Result<(), String> {
    static READY: OnceLock<Result<(), String>> = OnceLock::new();
    READY.get_or_init(start).clone()
}

/// Loads the driver's library for good. To look whether it is there loads it and lets it go again, and a
/// debugger of kernels takes note of its first time in the process only.
fn keep_loaded() {
    // SAFETY: a library of a well-known name; its initialisers are the driver's own.
    if let Ok(library) = unsafe { libloading::Library::new("libcuda.so.1") } {
        std::mem::forget(library);
    }
}

fn start() -> Result<(), String> {
    keep_loaded();
    // SAFETY: looks for a library of a well-known name; its initialisers are the driver's own.
    if !unsafe { sys::is_culib_present() } {
        return Err("the NVIDIA driver is not installed (no libcuda)".to_owned());
    }
    let version = driver_version().ok_or("the NVIDIA driver does not tell its version")?;
    if version < MIN_DRIVER_VERSION {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        return Err(format!(
            "the NVIDIA driver is too old: it supports CUDA {major}.{minor}, and 12.0 is needed"
        ));
    }
    // SAFETY: the library is there.
    check(unsafe { sys::cuInit(0) }).map_err(|failure| format!("the NVIDIA driver does not start: {failure}"))
}

/// The CUDA version that the driver supports, times 1000.
pub fn driver_version() -> Option<i32> {
    // SAFETY: as in `start`.
    if !unsafe { sys::is_culib_present() } {
        return None;
    }
    let mut version = 0;
    // SAFETY: the library is there; this call needs no initialisation.
    check(unsafe { sys::cuDriverGetVersion(&mut version) }).ok()?;
    Some(version)
}

/// How many devices there are, or why none can be used.
pub fn count() -> Result<u32, String> {
    ready()?;
    let mut count = 0;
    // SAFETY: the driver has been started.
    match check(unsafe { sys::cuDeviceGetCount(&mut count) }) {
        Ok(()) => Ok(count as u32),
        Err(failure) => Err(format!("the NVIDIA driver does not count its devices: {failure}")),
    }
}

/// A device, which need not be in use.
#[derive(Clone, Copy)]
pub(crate) struct Handle {
    ordinal: u32,
    device: sys::CUdevice,
}

impl Handle {
    /// By the driver's number.
    pub(crate) fn of(ordinal: u32) -> Result<Handle, DeviceError> {
        let mut device = 0;
        // SAFETY: the driver has been started; the result goes to a local.
        check(unsafe { sys::cuDeviceGet(&mut device, ordinal as i32) })
            .map_err(|failure| DeviceError::driver(&format!("CUDA{ordinal}"), "be found", &failure))?;
        Ok(Handle { ordinal, device })
    }

    /// A number that describes it.
    pub(crate) fn attribute(&self, attribute: Attribute) -> Result<i32, DeviceError> {
        let mut value = 0;
        // SAFETY: a device of the driver; the result goes to a local.
        self.ask(unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, self.device) })?;
        Ok(value)
    }

    /// Compute capability.
    pub(crate) fn capability(&self) -> Result<(u32, u32), DeviceError> {
        Ok((
            self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)? as u32,
            self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)? as u32,
        ))
    }

    /// What the vendor calls it.
    pub(crate) fn device_name(&self) -> Result<String, DeviceError> {
        let mut name = [0_u8; 256];
        // SAFETY: the driver writes at most the length it is given, with a zero at the end.
        self.ask(unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as i32, self.device) })?;
        let text = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }

    /// Bytes of memory.
    pub(crate) fn total_memory(&self) -> Result<u64, DeviceError> {
        let mut bytes = 0;
        // SAFETY: a device of the driver; the result goes to a local.
        self.ask(unsafe { sys::cuDeviceTotalMem_v2(&mut bytes, self.device) })?;
        Ok(bytes as u64)
    }

    fn ask(&self, result: sys::CUresult) -> Result<(), DeviceError> {
        check(result).map_err(|failure| {
            DeviceError::driver(&format!("CUDA{}", self.ordinal), "describe itself", &failure)
        })
    }
}

/// The context of a device in this process.
pub(crate) struct Context {
    device: Handle,
    context: sys::CUcontext,
    /// The numbers of the devices with which direct access was tried, and whether there is access both ways.
    reached: Mutex<Vec<(u32, bool)>>,
}

// SAFETY: contexts may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: contexts may be used from any thread.
unsafe impl Sync for Context {}

impl Context {
    /// The primary context. Its flags are the driver's own: launches take longer with the flag for blocking
    /// waits. We wait by events, which sleep.
    pub(crate) fn retain(ordinal: u32) -> Result<Context, DeviceError> {
        let device = Handle::of(ordinal)?;
        let error = |failure| DeviceError::driver(&format!("CUDA{ordinal}"), "be used", &failure);
        let mut context = std::ptr::null_mut();
        // SAFETY: a device of the driver; the result goes to a local.
        unsafe {
            let flags = sys::CUctx_flags_enum::CU_CTX_SCHED_AUTO as u32;
            check(sys::cuDevicePrimaryCtxSetFlags_v2(device.device, flags)).map_err(error)?;
            check(sys::cuDevicePrimaryCtxRetain(&mut context, device.device)).map_err(error)?;
        }
        Ok(Context { device, context, reached: Mutex::default() })
    }

    /// Makes it the calling thread's. Activities move between threads, so that this comes before any other
    /// call.
    pub(crate) fn enter(&self) -> Result<(), DeviceError> {
        // SAFETY: a context that is never destroyed.
        check(unsafe { sys::cuCtxSetCurrent(self.context) }).map_err(|failure| {
            DeviceError::driver(&format!("CUDA{}", self.device.ordinal), "be used", &failure)
        })
    }

    /// Of kernels that go before all others. Makes it the calling thread's.
    pub(crate) fn greatest_priority(&self) -> Result<i32, DeviceError> {
        self.enter()?;
        let mut greatest = 0;
        // SAFETY: a context is current; the result goes to a local.
        check(unsafe { sys::cuCtxGetStreamPriorityRange(std::ptr::null_mut(), &mut greatest) }).map_err(
            |failure| DeviceError::driver(&format!("CUDA{}", self.device.ordinal), "be described", &failure),
        )?;
        Ok(greatest)
    }

    /// For copies between devices.
    pub(crate) fn raw(&self) -> sys::CUcontext {
        self.context
    }

    /// Enables, once, direct access between this device and another one's memory; whether both have it. Where
    /// they have not, the driver copies through the host. This context is current before and after.
    pub(crate) fn reach(&self, other: &Context) -> bool {
        let mut reached = self.reached.lock();
        if let Some((_, reaches)) = reached.iter().find(|it| it.0 == other.device.ordinal) {
            return *reaches;
        }
        let ends = [(other, self), (self, other)];
        let reaches = ends.into_iter().filter(|(from, to)| from.enable_access(to)).count() == ends.len();
        reached.push((other.device.ordinal, reaches));
        // SAFETY: a context that is never destroyed.
        unsafe { sys::cuCtxSetCurrent(self.context) };
        reaches
    }

    /// Lets this device access another one's memory, if it can; whether it does.
    fn enable_access(&self, other: &Context) -> bool {
        let (from, to) = (self.device.device, other.device.device);
        let mut can = 0;
        // SAFETY: devices and contexts of the driver; the result goes to a local.
        let enabled = unsafe {
            let asked = check(sys::cuDeviceCanAccessPeer(&mut can, from, to)).is_ok() && can != 0;
            if !asked || check(sys::cuCtxSetCurrent(self.context)).is_err() {
                return false;
            }
            sys::cuCtxEnablePeerAccess(other.context, 0)
        };
        matches!(enabled, sys::CUresult::CUDA_SUCCESS | sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)
    }

    /// Whether kernels of both devices may access each other's memory, also by atomic operations; they can
    /// then, if no kernel runs that waits for this. This context is current afterwards.
    pub(crate) fn reaches_atomically(&self, other: &Context) -> bool {
        use sys::CUdevice_P2PAttribute_enum as Link;
        let has = |from: &Context, to: &Context, attribute: Link| {
            let mut value = 0;
            // SAFETY: devices of the driver; the result goes to a local.
            let asked = unsafe {
                sys::cuDeviceGetP2PAttribute(&mut value, attribute, from.device.device, to.device.device)
            };
            check(asked).is_ok() && value != 0
        };
        let links = [
            Link::CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED,
            Link::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
        ];
        links.into_iter().all(|link| has(self, other, link) && has(other, self, link)) && self.reach(other)
    }

    /// The device.
    pub(crate) fn device(&self) -> Handle {
        self.device
    }
}
