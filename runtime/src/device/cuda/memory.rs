//! Device memory of programs: allocation, release, leaks.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::device::cuda::driver;
use crate::device::cuda::driver::sys;
use crate::device::error::{DeviceError, Kind};
use crate::device::{Device, OnComplete};

/// What is allocated: bytes by address.
#[derive(Default)]
pub(crate) struct Memory(Mutex<BTreeMap<u64, u64>>);

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
        self.0.lock().insert(address, bytes);
    }

    fn remove(&self, address: u64) -> Option<u64> {
        self.0.lock().remove(&address)
    }

    /// Whether one allocation contains the range.
    fn holds(&self, address: u64, bytes: u64) -> bool {
        let allocations = self.0.lock();
        let Some((start, size)) = allocations.range(..=address).next_back() else { return false };
        address - start <= *size && bytes <= *size - (address - start)
    }

    fn leaks(&self) -> Leaks {
        let allocations = self.0.lock();
        Leaks { count: allocations.len(), bytes: allocations.values().sum() }
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
        if self.memory.remove(address).is_none() {
            let message = format!("{} has no rail at address {address:#x}: deleted twice?", self.label());
            return Err(DeviceError::new(Kind::IllegalArgument, message));
        }
        self.discard_reads();
        self.free_untracked(address)
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

    /// Checks that the range is memory of the program on this device.
    pub fn check_range(&self, address: u64, bytes: u64) -> Result<(), DeviceError> {
        if self.memory.holds(address, bytes) {
            return Ok(());
        }
        let message = format!(
            "{}: {bytes} bytes at {address:#x} are not in a rail of this device, or it was deleted",
            self.label()
        );
        Err(DeviceError::new(Kind::IllegalArgument, message))
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
        assert_eq!((memory.remove(1000), memory.remove(1000)), (Some(100), None));
        assert_eq!(memory.leaks(), Leaks { count: 1, bytes: 50 });
    }
}
