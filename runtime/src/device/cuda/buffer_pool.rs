//! Buffer pool: device memory of launches, for uploaded rails and large environments. It is reused by later
//! launches, since allocation waits for the device.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::device::Device;
use crate::device::error::DeviceError;

/// Maximum size of unused buffers.
const MAX_SPARE_SIZE: u64 = 256 << 20;
const MIN_BUFFER_SIZE: u64 = 256;

/// Spare memory by size.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<Spare>);

#[derive(Default)]
struct Spare {
    by_size: BTreeMap<u64, Vec<u64>>,
    bytes: u64,
}

/// Memory of a device, given back when dropped. Work that uses it must have ended by then.
pub struct Buffer {
    device: Arc<Device>,
    address: u64,
    size: u64,
}

impl Buffer {
    /// At least `bytes` bytes.
    pub fn new(device: &Arc<Device>, bytes: u64) -> Result<Buffer, DeviceError> {
        let size = size_class(bytes);
        let spare = {
            let mut spare = device.buffers.0.lock();
            let found = spare.by_size.get_mut(&size).and_then(Vec::pop);
            if found.is_some() {
                spare.bytes -= size;
            }
            found
        };
        let address = match spare {
            Some(address) => address,
            None => device.allocate_untracked(size)?,
        };
        Ok(Buffer { device: Arc::clone(device), address, size })
    }

    /// Its address on the device.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        {
            let mut spare = self.device.buffers.0.lock();
            if spare.bytes + self.size <= MAX_SPARE_SIZE {
                spare.bytes += self.size;
                return spare.by_size.entry(self.size).or_default().push(self.address);
            }
        }
        // A device that cannot release memory has failed, which the next operation will say.
        let _ = self.device.free_untracked(self.address);
    }
}

/// Four sizes for each power of two: at most a quarter is wasted.
fn size_class(bytes: u64) -> u64 {
    if bytes <= MIN_BUFFER_SIZE {
        return MIN_BUFFER_SIZE;
    }
    let step = (1_u64 << (63 - (bytes - 1).leading_zeros())) / 4;
    bytes.checked_next_multiple_of(step.max(MIN_BUFFER_SIZE)).unwrap_or(bytes)
}

impl Device {
    /// Releases all spare memory; whether there was any.
    pub(crate) fn release_buffers(&self) -> bool {
        // They become spare.
        self.evict_all_rails();
        let spare = std::mem::take(&mut *self.buffers.0.lock());
        let mut any = false;
        for address in spare.by_size.into_values().flatten() {
            any |= self.free_untracked(address).is_ok();
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_waste_at_most_a_quarter() {
        for bytes in [1, 255, 256, 257, 1000, 1024, 1025, 5000, 1 << 30, (1 << 30) + 1, u64::MAX] {
            let size = size_class(bytes);
            assert!(size >= bytes && size >= MIN_BUFFER_SIZE, "{bytes}");
            assert!(bytes < 2048 || size - bytes <= bytes / 4, "{bytes} -> {size}");
            assert_eq!(size_class(size), size, "{bytes}");
        }
    }
}
