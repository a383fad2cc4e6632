//! Constant memory: the code of a kernel with constant rails has one area of it, of which each launch takes a part until it has
//! ended, so that launches on their way at the same time do not see each other's constants. A launch for which there is no
//! room runs code that reads the same rails from ordinary memory.

use std::sync::Arc;

use parking_lot::Mutex;

use super::environment::captures;
use crate::layout::{Kernel, KernelRail, capture_kind};

/// All the constant memory that a kernel's code can have.
const BYTES: u32 = 64 << 10;
/// Parts start at multiples of this: no line of the constant cache is of two launches.
const PART: u32 = 256;
/// Rails in a part start at multiples of this.
const RAIL: u32 = 16;

/// The constant memory of a kernel's code.
#[derive(Debug)]
pub struct Area {
    address: u64,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// Starts and ends, in order.
    parts: Vec<(u32, u32)>,
    /// Where to look first: memory that was in use a moment ago comes last.
    next: u32,
}

/// Some of it, given back when dropped.
#[derive(Debug)]
pub struct Part {
    area: Arc<Area>,
    start: u32,
    used: u32,
}

impl Area {
    /// At that address of the device, none of it taken.
    pub fn new(address: u64) -> Arc<Area> {
        Arc::new(Area { address, taken: Mutex::default() })
    }

    /// So many bytes, if they are free.
    pub fn take(self: &Arc<Area>, bytes: u32) -> Option<Part> {
        let size = bytes.max(1).checked_next_multiple_of(PART)?;
        let mut taken = self.taken.lock();
        let start = taken.free(taken.next, size).or_else(|| taken.free(0, size))?;
        let at = taken.parts.partition_point(|part| part.0 < start);
        taken.parts.insert(at, (start, start + size));
        taken.next = start + size;
        Some(Part { area: Arc::clone(self), start, used: 0 })
    }
}

impl Taken {
    /// The first free place from `from` on.
    fn free(&self, from: u32, size: u32) -> Option<u32> {
        let mut start = from;
        for (first, end) in &self.parts {
            if *end <= start {
                continue;
            }
            if start + size <= *first {
                break;
            }
            start = *end;
        }
        (start + size <= BYTES).then_some(start)
    }
}

impl Part {
    /// Room for the next rail: where it is from the start of the area, and its address.
    pub fn place(&mut self, bytes: u64) -> (u64, u64) {
        let offset = u64::from(self.start + self.used);
        self.used = (self.used + bytes as u32).next_multiple_of(RAIL);
        (offset, self.area.address + offset)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut taken = self.area.taken.lock();
        taken.parts.retain(|part| part.0 != self.start);
    }
}

/// The constant memory that the constant rails of a launch need, if they fit into it.
pub fn wanted(kernel: &Kernel, environment: &[u8]) -> Option<u32> {
    let mut sum = 0_u32;
    for capture in captures(kernel).iter().filter(|it| it.kind == capture_kind::CONSTANT_RAIL) {
        let bytes = &environment[capture.offset as usize..][..size_of::<KernelRail>()];
        // SAFETY: the bytes are there; only plain data is read.
        let rail = unsafe { bytes.as_ptr().cast::<KernelRail>().read_unaligned() };
        let bytes = u64::try_from(rail.length).ok()?.checked_mul(u64::from(capture.element_size))?;
        sum = sum.checked_add(u32::try_from(bytes).ok()?.checked_next_multiple_of(RAIL)?)?;
    }
    (1..=BYTES).contains(&sum).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_take_different_parts_until_there_is_none_left() {
        let area = Area::new(1 << 20);
        let mut first = area.take(1000).expect("room");
        let second = area.take(BYTES - 1024).expect("the rest");
        assert!(area.take(1).is_none());
        assert_eq!(first.place(20), (0, 1 << 20));
        assert_eq!(first.place(4), (32, (1 << 20) + 32));
        drop(first);
        let mut third = area.take(256).expect("what the first had");
        assert_eq!(third.place(1).0, 0);
        drop(second);
        assert_eq!(area.take(BYTES - 1024).map(|mut it| it.place(1).0), Some(256));
        assert!(area.take(BYTES + 1).is_none());
    }
}
