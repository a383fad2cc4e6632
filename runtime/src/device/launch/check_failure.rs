//! Check failures in kernels: records that failing checks fill on the device, and the exceptions made of
//! them, with line, index, block and thread.

use std::ffi::c_void;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::device::Device;
use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::error::{DeviceError, KernelLocation, Kind};
use crate::device::launch::extents::Extents;
use crate::layout::{Fault, fault_kind};

/// Records of one allocation.
const RECORDS_PER_ALLOCATION: usize = 256;

/// Records in host memory that the device writes to, for launches to come.
#[derive(Default)]
pub(crate) struct Faults(Mutex<Vec<Address>>);

#[derive(Clone, Copy)]
struct Address(*mut Fault);

// SAFETY: pinned memory that is never released; a record belongs to one launch at a time.
unsafe impl Send for Address {}

/// The record of one launch, given back when dropped.
pub(crate) struct Record {
    device: Arc<Device>,
    address: Address,
}

impl Record {
    /// An empty record. The context must be current.
    pub(crate) fn new(device: &Arc<Device>) -> Result<Record, DeviceError> {
        let spare = device.faults.0.lock().pop();
        let address = match spare {
            Some(address) => address,
            None => device.make_records()?,
        };
        // SAFETY: memory for a record, which nothing else uses.
        unsafe { address.0.write(Fault::default()) };
        Ok(Record { device: Arc::clone(device), address })
    }

    /// For the device, which knows host memory by the same address.
    pub(crate) fn address(&self) -> u64 {
        self.address.0 as u64
    }

    /// The error of a failed check, once the kernel has ended.
    pub(crate) fn error(&self, launch: &Extents) -> Option<DeviceError> {
        // SAFETY: written by the device, whose work has ended.
        error(&unsafe { self.address.0.read_volatile() }, launch)
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        self.device.faults.0.lock().push(self.address);
    }
}

impl Device {
    /// Makes records; one of them is returned.
    fn make_records(&self) -> Result<Address, DeviceError> {
        let mut memory: *mut c_void = std::ptr::null_mut();
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: a context is current; the result goes to a local.
        let made =
            unsafe { sys::cuMemHostAlloc(&mut memory, RECORDS_PER_ALLOCATION * size_of::<Fault>(), flags) };
        driver::check(made)
            .map_err(|failure| DeviceError::driver(&self.label(), "share memory with the host", &failure))?;
        let first = memory.cast::<Fault>();
        // SAFETY: inside the memory just made.
        let rest = (1..RECORDS_PER_ALLOCATION).map(|index| Address(unsafe { first.add(index) }));
        self.faults.0.lock().extend(rest);
        Ok(Address(first))
    }
}

/// The error of a record, if a check has failed.
pub fn error(fault: &Fault, launch: &Extents) -> Option<DeviceError> {
    let (kind, what) = match fault.kind {
        fault_kind::NONE => return None,
        fault_kind::NULL => (Kind::NullPointer, format!("an element of null, index {}", fault.index)),
        fault_kind::DIVISION => (Kind::Arithmetic, "divide by zero".to_owned()),
        fault_kind::MEMORY => (Kind::OutOfMemory, "no memory for a block of a kernel".to_owned()),
        _ => {
            let Fault { index, length, .. } = fault;
            (Kind::Bounds, format!("Index {index} out of range (Rail size {length})"))
        }
    };
    // As in the loop: the fastest axis last.
    let axes = |[x, y, z]: [u32; 3], extents: [i32; 3]| match extents {
        [_, ..=1, ..=1] => format!("({x})"),
        [_, _, ..=1] => format!("({y}, {x})"),
        _ => format!("({z}, {y}, {x})"),
    };
    let (block, thread) = (axes(fault.block, launch.blocks), axes(fault.thread, launch.threads));
    let message = format!("{what}; block {block}, thread {thread}");
    let place = KernelLocation { file: crate::program::file(fault.file), line: fault.line };
    Some(DeviceError::new(kind, message).at(&place))
}

impl Record {
    /// Where the device signals the end of the kernel.
    pub(crate) fn ended(&self) -> *const u32 {
        // SAFETY: a field of the record.
        unsafe { &raw const (*self.address.0).ended }
    }
}
