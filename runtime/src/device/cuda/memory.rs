//! Device memory of programs: allocation, release, leaks.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::error::{DeviceError, Kind};
use crate::device::{Device, OnComplete};

/// What is allocated, by address.
#[derive(Default)]
pub(crate) struct Memory(Mutex<BTreeMap<u64, Allocation>>);

/// Memory of the driver.
struct Allocation {
    bytes: u64,
    /// Transfers by others than the driver, which does not wait for these before it releases memory.
    transfers: u32,
    /// The program has released it: the driver does after the last transfer.
    is_released: bool,
}

/// What becomes of memory that the program releases.
#[derive(Debug, PartialEq, Eq)]
enum Release {
    Unknown,
    Now,
    AfterTransfers,
}

/// Memory that was never released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaks {
    /// How many pieces.
    pub count: usize,
    /// Their size together.
    pub bytes: u64,
}

impl Memory {
    fn insert(&self, address: u64, bytes: u64) {
        self.0.lock().insert(address, Allocation { bytes, transfers: 0, is_released: false });
    }

    fn remove(&self, address: u64) -> Release {
        let mut allocations = self.0.lock();
        match allocations.get_mut(&address).filter(|it| !it.is_released) {
            None => Release::Unknown,
            Some(allocation) if allocation.transfers > 0 => {
                allocation.is_released = true;
                Release::AfterTransfers
            }
            Some(_) => {
                allocations.remove(&address);
                Release::Now
            }
        }
    }

    /// The address of the allocation that contains the range; `use_it` is called with it.
    fn find(&self, address: u64, bytes: u64, use_it: impl FnOnce(&mut Allocation)) -> Option<u64> {
        let mut allocations = self.0.lock();
        let (start, allocation) = allocations.range_mut(..=address).next_back()?;
        let offset = address - start;
        let is_inside = offset <= allocation.bytes && bytes <= allocation.bytes - offset;
        if !is_inside || allocation.is_released {
            return None;
        }
        use_it(allocation);
        Some(*start)
    }

    /// Whether one allocation contains the range.
    fn holds(&self, address: u64, bytes: u64) -> bool {
        self.find(address, bytes, |_| {}).is_some()
    }

    /// A transfer has ended: whether the driver has to release the memory now.
    fn end_transfer(&self, start: u64) -> bool {
        let mut allocations = self.0.lock();
        let Some(allocation) = allocations.get_mut(&start) else { return false };
        allocation.transfers -= 1;
        let is_last = allocation.is_released && allocation.transfers == 0;
        if is_last {
            allocations.remove(&start);
        }
        is_last
    }

    fn leaks(&self) -> Leaks {
        let allocations = self.0.lock();
        let kept = || allocations.values().filter(|it| !it.is_released);
        Leaks { count: kept().count(), bytes: kept().map(|it| it.bytes).sum() }
    }
}

impl Device {
    /// Memory of the device; at least one byte, so that addresses differ.
    pub fn allocate(&self, bytes: u64) -> Result<u64, DeviceError> {
        let address = self.allocate_untracked(bytes.max(1))?;
        self.memory.insert(address, bytes);
        Ok(address)
    }

    /// As [`Device::allocate`], of memory that is not the program's own. Spare buffers make room if need be.
    pub(crate) fn allocate_untracked(&self, bytes: u64) -> Result<u64, DeviceError> {
        self.context.enter()?;
        let mut address = 0;
        let mut attempt = || {
            // SAFETY: a context of this device is current; the result goes to a local.
            driver::check(unsafe { sys::cuMemAlloc_v2(&mut address, bytes as usize) })
        };
        let result = match attempt() {
            Err(failure) if failure.is_out_of_memory() && self.release_buffers() => attempt(),
            other => other,
        };
        match result {
            Ok(()) => Ok(address),
            Err(failure) if failure.is_out_of_memory() => Err(self.out_of_memory(bytes)),
            Err(failure) => Err(DeviceError::driver(&self.label(), "allocate memory", &failure)),
        }
    }

    fn out_of_memory(&self, bytes: u64) -> DeviceError {
        let (mut free, mut total) = (0, 0);
        // SAFETY: a context of this device is current; results go to locals.
        let known = driver::check(unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) }).is_ok();
        let rest =
            if known { format!("{free} of {total} bytes are free") } else { "its memory is full".to_owned() };
        DeviceError::new(Kind::OutOfMemory, format!("{}: {bytes} bytes requested, {rest}", self.label()))
    }

    /// Releases what [`Device::allocate`] gave.
    pub fn free(&self, address: u64) -> Result<(), DeviceError> {
        let release = self.memory.remove(address);
        if release == Release::Unknown {
            let message = format!("{} has no rail at address {address:#x}: deleted twice?", self.label());
            return Err(DeviceError::new(Kind::IllegalArgument, message));
        }
        self.discard_reads();
        if release == Release::Now { self.free_untracked(address) } else { Ok(()) }
    }

    pub(crate) fn free_untracked(&self, address: u64) -> Result<(), DeviceError> {
        self.context.enter()?;
        // SAFETY: an address of `cuMemAlloc` that is released once.
        self.check(unsafe { sys::cuMemFree_v2(address) }, "release memory")
    }

    /// Fills memory with zeros.
    pub fn clear(&self, address: u64, bytes: u64, done: OnComplete) {
        self.uploads.clear(address, bytes, self.writes(done));
    }

    /// Keeps the memory of the program that contains the range allocated until [`Device::end_transfer`] is
    /// called with its address, which is returned.
    pub(crate) fn begin_transfer(&self, address: u64, bytes: u64) -> Result<u64, DeviceError> {
        let start = self.memory.find(address, bytes, |allocation| allocation.transfers += 1);
        start.ok_or_else(|| self.not_in_a_rail(address, bytes))
    }

    /// Ends what [`Device::begin_transfer`] has begun.
    pub(crate) fn end_transfer(&self, start: u64) {
        if self.memory.end_transfer(start) {
            // The program has gone on: the error has no receiver.
            let _ = self.free_untracked(start);
        }
    }

    /// Checks that the range is memory of the program on this device.
    pub fn check_range(&self, address: u64, bytes: u64) -> Result<(), DeviceError> {
        if self.memory.holds(address, bytes) { Ok(()) } else { Err(self.not_in_a_rail(address, bytes)) }
    }

    fn not_in_a_rail(&self, address: u64, bytes: u64) -> DeviceError {
        let message = format!(
            "{}: {bytes} bytes at {address:#x} are not in a rail of this device, or it was deleted",
            self.label()
        );
        DeviceError::new(Kind::IllegalArgument, message)
    }

    /// What the program has not released.
    pub fn leaks(&self) -> Leaks {
        let Leaks { count, bytes } = self.memory.leaks();
        let (textures, texels) = self.textures.held();
        Leaks { count: count + textures, bytes: bytes + texels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_must_lie_in_one_allocation() {
        let memory = Memory::default();
        memory.insert(1000, 100);
        memory.insert(1100, 50);
        assert!(
            memory.holds(1000, 100)
                && memory.holds(1050, 50)
                && memory.holds(1100, 50)
                && memory.holds(1010, 0)
        );
        assert!(!memory.holds(999, 1) && !memory.holds(1050, 51) && !memory.holds(1150, 1));
        assert!(!memory.holds(1149, 2) && !memory.holds(1100, u64::MAX) && !memory.holds(u64::MAX, 1));
        assert_eq!(memory.leaks(), Leaks { count: 2, bytes: 150 });
        assert_eq!((memory.remove(1000), memory.remove(1000)), (Release::Now, Release::Unknown));
        assert_eq!(memory.leaks(), Leaks { count: 1, bytes: 50 });
    }

    #[test]
    fn memory_is_released_after_its_transfers() {
        let memory = Memory::default();
        memory.insert(1000, 100);
        let begin = |address, bytes| memory.find(address, bytes, |it| it.transfers += 1);
        assert_eq!((begin(1010, 90), begin(1000, 1), begin(1000, 101)), (Some(1000), Some(1000), None));
        assert!(!memory.end_transfer(1000), "the program has it");
        assert_eq!((memory.remove(1000), memory.remove(1000)), (Release::AfterTransfers, Release::Unknown));
        assert!(!memory.holds(1000, 1) && memory.leaks().count == 0);
        assert_eq!(begin(1000, 1), None);
        assert!(memory.end_transfer(1000), "the last one releases it");
        assert!(!memory.end_transfer(1000));
    }
}
