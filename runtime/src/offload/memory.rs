//! Devices of OpenMP (OpenMP 5.2, section 1.2.1): GPUs, and for tests the CPUs with memory of their own.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::peers::Peers;
use super::present_table::{Memory, PresentTable};
use super::recorded;
use crate::cache::Cache;
use crate::device::{
    self, Completion, Device, DeviceError, Extents, Kind, LaunchError, LaunchOptions, OnComplete, Upload,
};
use crate::layout::{Fault, Kernel, Launch};
use crate::profile;

/// What a device is.
pub(super) enum DeviceKind {
    /// A GPU, by the driver's number; taken into use when it is first needed.
    Gpu {
        /// The number.
        ordinal: u32,
        /// The device, or why it cannot be used.
        device: OnceLock<Result<Arc<Device>, DeviceError>>,
        /// Where compiled kernels are kept.
        cache: Option<Cache>,
    },
    /// The CPUs, with memory of their own: what is not mapped is not there.
    Cpus,
}

/// A device and the data that it has.
pub(super) struct TargetDevice {
    pub kind: DeviceKind,
    /// Its place in a profile: the host is place 0, and device 0 is place 1.
    pub place: i64,
    /// The present table.
    pub table: Mutex<PresentTable>,
    /// Memory of the device by address: its bytes.
    allocations: Mutex<BTreeMap<u64, u64>>,
    /// Released memory for those that ask next.
    spare: Mutex<Spare>,
    /// Its memory that other processes reach, and theirs that it does.
    pub peers: Peers,
}

/// Released memory by its size class.
#[derive(Debug, Default)]
struct Spare {
    blocks: BTreeMap<u64, Vec<u64>>,
    bytes: u64,
    /// Memory of any size that other processes have mapped: the driver must not release it in front of them.
    mapped: BTreeMap<u64, Vec<u64>>,
}

/// Most bytes of memory that is kept when it is released.
const MAX_KEPT_BYTES: u64 = 64 << 10;
/// Most bytes of all memory that is kept.
const MAX_SPARE_BYTES: u64 = 16 << 20;

/// The bytes that an allocation takes: a power of two if it may be kept when it is released.
fn size_class(bytes: u64) -> u64 {
    if bytes <= MAX_KEPT_BYTES { bytes.max(256).next_power_of_two() } else { bytes }
}

impl Spare {
    fn take(&mut self, class: u64) -> Option<u64> {
        if let Some(mapped) = self.mapped.get_mut(&class).and_then(Vec::pop) {
            return Some(mapped);
        }
        let found = self.blocks.get_mut(&class)?.pop()?;
        self.bytes -= class;
        Some(found)
    }

    /// Keeps a block that other processes have mapped.
    fn keep_mapped(&mut self, class: u64, address: u64) {
        self.mapped.entry(class).or_default().push(address);
    }

    /// The smallest block of at least `class` bytes that other processes have mapped, and its size class.
    fn take_larger(&mut self, class: u64) -> Option<(u64, u64)> {
        self.mapped.range_mut(class..).find_map(|(class, blocks)| Some((blocks.pop()?, *class)))
    }

    /// The bytes of all blocks that other processes have mapped.
    fn mapped_bytes(&self) -> u64 {
        self.mapped.iter().map(|(class, blocks)| class * blocks.len() as u64).sum()
    }

    /// Whether it keeps a block.
    fn keep(&mut self, class: u64, address: u64) -> bool {
        let is_kept = class <= MAX_KEPT_BYTES && self.bytes + class <= MAX_SPARE_BYTES;
        if is_kept {
            self.bytes += class;
            self.blocks.entry(class).or_default().push(address);
        }
        is_kept
    }
}

/// An error with the bytes that released memory takes which other processes have mapped.
fn with_kept(error: DeviceError, bytes: u64) -> DeviceError {
    if bytes == 0 {
        return error;
    }
    let message = format!(
        "{}; {bytes} bytes of released arrays are kept, since other processes have mapped them: use arrays of \
         the same size again",
        error.message
    );
    DeviceError { message, ..error }
}

/// Runs an operation of a GPU and waits for its end: by polling where the operation lets its caller do so,
/// since waking this thread takes longer than a small copy.
fn wait(start: impl FnOnce(OnComplete) -> Option<Completion>) -> Result<(), DeviceError> {
    let (sender, receiver) = mpsc::channel();
    let polled = start(Box::new(move |result| {
        // The receiver waits until something is sent.
        let _ = sender.send(result);
    }));
    if let Some(completion) = polled {
        completion.poll(device::WaitPolicy { worthwhile: || true, park: None });
    }
    receiver
        .recv()
        .unwrap_or_else(|_| Err(DeviceError::new(Kind::Internal, "the device has lost an operation")))
}

impl TargetDevice {
    /// A GPU by the driver's number, which is the device of this number of the program.
    pub(super) fn gpu(ordinal: u32, number: usize, cache: Option<Cache>) -> TargetDevice {
        let kind = DeviceKind::Gpu { ordinal, device: OnceLock::new(), cache };
        TargetDevice::new(kind, number as i64 + 1)
    }

    /// The CPUs as a device.
    pub(super) fn cpus() -> TargetDevice {
        TargetDevice::new(DeviceKind::Cpus, 1)
    }

    fn new(kind: DeviceKind, place: i64) -> TargetDevice {
        TargetDevice {
            kind,
            place,
            table: Mutex::default(),
            allocations: Mutex::default(),
            spare: Mutex::default(),
            peers: Peers::default(),
        }
    }

    /// Whether an address is in memory of this device.
    pub(super) fn has_memory(&self, address: u64) -> bool {
        let allocations = self.allocations.lock();
        allocations.range(..=address).next_back().is_some_and(|(start, bytes)| address - start < *bytes)
    }

    /// Its memory that programs have: how many ranges, and the first address of each and that behind it.
    pub(super) fn ranges(&self) -> Vec<u64> {
        let mut ranges: Vec<(u64, u64)> = self.table.lock().copies().collect();
        let allocations = self.allocations.lock();
        // An allocation of a copy may be larger than that.
        let own = allocations.iter().filter(|it| !ranges.iter().any(|range| range.0 == *it.0));
        let own: Vec<(u64, u64)> = own.map(|(start, bytes)| (*start, start + bytes)).collect();
        ranges.extend(own);
        let words = ranges.iter().flat_map(|it| [it.0, it.1]);
        std::iter::once(ranges.len() as u64).chain(words).collect()
    }

    /// The GPU; `None` for the CPUs.
    pub(super) fn device(&self) -> Result<Option<&Arc<Device>>, DeviceError> {
        match &self.kind {
            DeviceKind::Cpus => Ok(None),
            DeviceKind::Gpu { ordinal, device, cache } => {
                let found = device.get_or_init(|| Device::open(*ordinal, cache.clone()));
                found.as_ref().map(Some).map_err(Clone::clone)
            }
        }
    }

    /// Memory of the driver and its bytes. Where that has none, a larger block that other processes may have
    /// mapped; such a block is never given back to the driver, since they may still write to it (CUDA Driver
    /// API, `cuIpcGetMemHandle`).
    fn allocate_new(&self, device: &Arc<Device>, bytes: u64) -> Result<(u64, u64), DeviceError> {
        let is_full =
            |it: &Result<u64, DeviceError>| it.as_ref().is_err_and(|error| error.kind == Kind::OutOfMemory);
        let mut allocated = device.allocate(bytes);
        if is_full(&allocated) && self.release_staging()? {
            allocated = device.allocate(bytes);
        }
        if !is_full(&allocated) {
            return Ok((allocated?, bytes));
        }
        let mut spare = self.spare.lock();
        if let Some(larger) = spare.take_larger(bytes) {
            return Ok(larger);
        }
        let kept = spare.mapped_bytes();
        Ok((allocated.map_err(|it| with_kept(it, kept))?, bytes))
    }

    /// How many multiprocessors, or CPUs, it has.
    pub(super) fn multiprocessors(&self) -> Result<usize, DeviceError> {
        Ok(match self.device()? {
            Some(device) => device.multiprocessors(),
            None => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        })
    }

    /// Runs a kernel and waits for its end.
    ///
    /// # Safety
    /// `environment` is an environment of the kernel.
    pub(super) unsafe fn launch(
        &self,
        kernel: &'static Kernel,
        environment: &[u8],
    ) -> Result<(), DeviceError> {
        let Some(device) = self.device()? else {
            // SAFETY: the caller's environment.
            return unsafe { launch_on_cpus((self.place, kernel), environment) };
        };
        let mut refused = None;
        let ended = wait(|done| {
            // SAFETY: the caller's environment, which has no rails.
            match unsafe { device.launch(self.place, kernel, environment, LaunchOptions::default(), done) } {
                Ok(completion) => completion,
                Err(error) => {
                    refused = Some(device_error(error));
                    None
                }
            }
        });
        refused.map_or(ended, Err)
    }

    /// Waits until the device is done with everything; the driver then writes what kernels have printed (CUDA
    /// C++ Programming Guide, "Formatted Output").
    pub(super) fn synchronize(&self) -> Result<(), DeviceError> {
        match self.device()? {
            Some(device) => wait(|done| {
                device.synchronize(done);
                None
            }),
            None => Ok(()),
        }
    }

    /// Copies within the device.
    pub(super) fn copy_within(&self, source: u64, target: u64, bytes: u64) -> Result<(), DeviceError> {
        let device = self.device()?;
        recorded::moved((self.place, "within the device", bytes), std::ptr::null(), || match device {
            Some(device) => wait(|done| device.copy_to(source, device, target, bytes, done)),
            None => {
                // SAFETY: both ranges are memory of this device, as its caller says, which is that of CPUs.
                unsafe { std::ptr::copy(source as *const u8, target as *mut u8, bytes as usize) };
                Ok(())
            }
        })
    }

    /// Copies what an expression of the program is about, or null, to the device.
    ///
    /// # Safety
    /// As [`Memory::upload`]; the expression is a constant string of the program.
    pub(super) unsafe fn upload_of(
        &self,
        name: *const c_char,
        host: *const u8,
        device: u64,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        let gpu = self.device()?;
        recorded::moved((self.place, "to the device", bytes), name, || match gpu {
            Some(gpu) => wait(|done| {
                // SAFETY: the caller's memory, which is there until the end is known.
                unsafe { gpu.copy_in(Upload { source: host, target: device, bytes }, done) }
            }),
            None => {
                // SAFETY: the caller's memory, and memory of this device, which is that of CPUs.
                unsafe { std::ptr::copy(host, device as *mut u8, bytes as usize) };
                Ok(())
            }
        })
    }

    /// Copies what an expression of the program is about, or null, from the device.
    ///
    /// # Safety
    /// As [`Memory::download`]; the expression is a constant string of the program.
    pub(super) unsafe fn download_of(
        &self,
        name: *const c_char,
        device: u64,
        host: *mut u8,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        let gpu = self.device()?;
        recorded::moved((self.place, "from the device", bytes), name, || match gpu {
            Some(gpu) => wait(|done| {
                // SAFETY: the caller's memory, which is there until the end is known.
                unsafe { gpu.copy_out(device, host, bytes, done) }
            }),
            None => {
                // SAFETY: the caller's memory, and memory of this device, which is that of CPUs.
                unsafe { std::ptr::copy(device as *const u8, host, bytes as usize) };
                Ok(())
            }
        })
    }
}

fn device_error(error: LaunchError) -> DeviceError {
    match error {
        LaunchError::Device(error) => error,
        // Kernels of C raise nothing.
        LaunchError::Raised(_) => DeviceError::new(Kind::Internal, "the extents of a launch are not known"),
    }
}

impl Memory for TargetDevice {
    fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        let (address, bytes) = match self.device()? {
            Some(device) => {
                let class = size_class(bytes);
                let spare = self.spare.lock().take(class);
                spare.map_or_else(|| self.allocate_new(device, class), |it| Ok((it, class)))?
            }
            None => {
                // SAFETY: allocates memory.
                let memory = unsafe { libc::malloc(bytes.max(1) as usize) };
                if memory.is_null() {
                    let message = format!("the CPUs have no memory for {bytes} bytes");
                    return Err(DeviceError::new(Kind::OutOfMemory, message));
                }
                (memory as u64, bytes.max(1))
            }
        };
        self.allocations.lock().insert(address, bytes);
        Ok(address)
    }

    fn free(&self, address: u64) -> Result<(), DeviceError> {
        let Some(bytes) = self.allocations.lock().remove(&address) else {
            let message = format!("no memory of the device begins at {address:#x}: was it released twice?");
            return Err(DeviceError::new(Kind::IllegalArgument, message));
        };
        match self.device()? {
            Some(_) if self.peers.is_exported(address) => {
                self.spare.lock().keep_mapped(size_class(bytes), address);
                Ok(())
            }
            Some(_) if self.spare.lock().keep(size_class(bytes), address) => Ok(()),
            Some(device) => device.free(address),
            None => {
                // SAFETY: memory of `malloc`, which was in the list and is not any more.
                unsafe { libc::free(address as *mut c_void) };
                Ok(())
            }
        }
    }

    unsafe fn upload(&self, host: *const u8, device: u64, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's memory.
        unsafe { self.upload_of(std::ptr::null(), host, device, bytes) }
    }

    unsafe fn download(&self, device: u64, host: *mut u8, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the caller's memory.
        unsafe { self.download_of(std::ptr::null(), device, host, bytes) }
    }
}

/// A launch whose parts run in several threads.
pub(super) struct Shared<'a> {
    environment: *const c_void,
    launch: &'a Launch,
}

// SAFETY: threads read both; failing blocks write the fault by atomic operations.
unsafe impl Sync for Shared<'_> {}

/// A launch on CPUs: its extents, and the failure of a check.
pub(super) struct HostLaunch {
    prepared: device::Prepared,
    plan: device::Plan,
    fault: Box<Fault>,
}

/// Computes the extents of a launch on CPUs.
///
/// # Safety
/// `environment` is an environment of the kernel.
pub(super) unsafe fn prepare_on_cpus(
    kernel: &'static Kernel,
    environment: &[u8],
) -> Result<HostLaunch, DeviceError> {
    let mut plan = device::Plan::default();
    let prepared = device::prepare_host(0, kernel, environment, &|_| None)?;
    let bytes: *const c_void = prepared.bytes().as_ptr().cast();
    // SAFETY: the caller's environment.
    unsafe { device::configure(kernel, bytes, device::HOST_BLOCKS, device::HOST_THREADS, &mut plan) }
        .map_err(device_error)?;
    let mut fault = Box::<Fault>::default();
    plan.launch.fault = &raw mut *fault;
    if let Some(proven) = kernel.proven {
        // SAFETY: the kernel's own function, with its environment.
        plan.launch.proven = unsafe { proven(bytes, &plan.launch) } as u32;
    }
    Ok(HostLaunch { prepared, plan, fault })
}

impl HostLaunch {
    /// What threads need of it.
    pub(super) fn launch(&mut self) -> Shared<'_> {
        Shared { environment: self.prepared.bytes().as_ptr().cast(), launch: &self.plan.launch }
    }

    /// Its numbers of blocks and of threads of a block.
    pub(super) fn extents(&self) -> ([i32; 3], [i32; 3]) {
        let Extents { blocks, threads, .. } = Extents::of(&self.plan.launch);
        (blocks, threads)
    }

    /// The failure of a check.
    pub(super) fn fault(&self) -> Result<(), DeviceError> {
        device::fault_error(&self.fault, &Extents::of(&self.plan.launch)).map_or(Ok(()), Err)
    }
}

/// Runs one block of a launch.
///
/// # Safety
/// The launch is one of the kernel.
pub(super) unsafe fn launch_member_on_cpus(kernel: &Kernel, shared: &Shared<'_>, block: i64) {
    // SAFETY: the kernel's own function, with its environment and a block of the grid.
    unsafe { (kernel.cpu)(shared.environment, shared.launch, block, block + 1) };
}

/// Runs the CPU form of a kernel on the device of a place; its blocks are shared by all CPUs.
///
/// # Safety
/// `environment` is an environment of the kernel.
unsafe fn launch_on_cpus(
    (place, kernel): (i64, &'static Kernel),
    environment: &[u8],
) -> Result<(), DeviceError> {
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as i64;
    // SAFETY: the caller's environment.
    let mut prepared = unsafe { prepare_on_cpus(kernel, environment)? };
    if prepared.plan.is_empty() {
        return Ok(());
    }
    let (began, shape) = (profile::on().then(profile::now), prepared.extents());
    let shared = prepared.launch();
    let extents = shared.launch.blocks;
    let blocks = extents.iter().fold(1_i64, |all, extent| all.saturating_mul(i64::from(*extent)));
    let part = |worker: i64| {
        let shared = &shared;
        let bound = |it: i64| (i128::from(blocks) * i128::from(it) / i128::from(workers)) as i64;
        // SAFETY: the kernel's own function, with its environment and blocks of the grid.
        unsafe { (kernel.cpu)(shared.environment, shared.launch, bound(worker), bound(worker + 1)) };
    };
    std::thread::scope(|scope| {
        for worker in 1..workers {
            // Without a thread, its blocks run here.
            if std::thread::Builder::new().spawn_scoped(scope, move || part(worker)).is_err() {
                part(worker);
            }
        }
        part(0);
    });
    if let Some(began) = began {
        profile::kernel(place, kernel, shape, began, profile::now());
    }
    prepared.fault()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_memory_is_given_to_the_same_size_class_once() {
        let mut spare = Spare::default();
        assert!(spare.keep(size_class(8), 1) && spare.keep(size_class(300), 2));
        assert_eq!((spare.take(size_class(256)), spare.take(size_class(1))), (Some(1), None));
        assert_eq!((spare.take(512), spare.bytes), (Some(2), 0));
    }

    #[test]
    fn memory_that_others_have_mapped_is_kept_whatever_its_size() {
        let mut spare = Spare::default();
        spare.keep_mapped(size_class(1 << 30), 7);
        assert_eq!((spare.take(1 << 20), spare.take(1 << 30), spare.take(1 << 30)), (None, Some(7), None));
        spare.keep_mapped(size_class(8), 1);
        assert_eq!((spare.take(256), spare.take(256)), (Some(1), None));
        assert_eq!(spare.mapped_bytes(), 0);
        spare.keep_mapped(size_class(1 << 30), 7);
        let error = DeviceError::new(Kind::OutOfMemory, "no memory for 8 bytes");
        assert_eq!(with_kept(error.clone(), 0), error);
        let found = with_kept(error, spare.mapped_bytes()).message;
        assert!(found.starts_with("no memory for 8 bytes; 1073741824 bytes of released arrays"), "{found}");
    }

    #[test]
    fn larger_memory_that_others_have_mapped_is_used_as_a_whole() {
        let mut spare = Spare::default();
        spare.keep_mapped(size_class(1 << 20), 1);
        spare.keep_mapped(size_class(1 << 30), 2);
        spare.keep_mapped(size_class(1 << 25), 3);
        assert_eq!(spare.take_larger(1 << 21), Some((3, 1 << 25)));
        assert_eq!((spare.take_larger(1 << 21), spare.take_larger(1 << 21)), (Some((2, 1 << 30)), None));
    }

    #[test]
    fn spare_memory_has_an_end() {
        let mut spare = Spare::default();
        assert!(!spare.keep(size_class(MAX_KEPT_BYTES + 1), 1));
        let kept =
            (0..2 * MAX_SPARE_BYTES / MAX_KEPT_BYTES).filter(|it| spare.keep(MAX_KEPT_BYTES, *it)).count();
        assert_eq!(kept as u64, MAX_SPARE_BYTES / MAX_KEPT_BYTES);
    }
}
