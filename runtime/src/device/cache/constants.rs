//! Constant memory: the code of a kernel with constant rails has one area of it, of which each launch takes a
//! part until it has ended, so that concurrent launches do not see each other's constants. The contents of
//! parts are cached: a launch with the same constants as an ended one needs no upload, which takes as long as
//! a short kernel. A launch without room runs code that reads the same rails from global memory.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::device::launch::captures::captures;
use crate::layout::{Kernel, KernelRail, capture_kind};

/// Constant memory of a module.
const AREA_SIZE: u32 = 64 << 10;
/// Alignment of parts: no line of the constant cache is shared by two launches.
const PART_ALIGNMENT: u32 = 256;
/// Alignment of rails in a part.
const RAIL_ALIGNMENT: u32 = 16;

/// The constant memory of a kernel's code.
#[derive(Debug)]
pub(crate) struct Area {
    address: u64,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// In order.
    parts: Vec<Held>,
    /// Where to look first: memory that was in use a moment ago comes last.
    next: u32,
}

/// A part that launches use, or whose contents are known.
#[derive(Debug)]
struct Held {
    start: u32,
    end: u32,
    users: u32,
    contents: Arc<[u8]>,
    /// Whether the device has them.
    there: bool,
}

/// Some of it for one launch, given back when dropped.
#[derive(Debug)]
pub(crate) struct Part {
    area: Arc<Area>,
    start: u32,
    used: u32,
    /// To be uploaded before the launch, unless the device has it.
    contents: Option<Arc<[u8]>>,
}

impl Area {
    /// At that address of the device, none of it taken.
    pub(crate) fn new(address: u64) -> Arc<Area> {
        Arc::new(Area { address, taken: Mutex::default() })
    }

    /// A part for these rails, if there is room.
    pub(crate) fn take(self: &Arc<Area>, rails: &Rails<'_>) -> Option<Part> {
        let part = |start, contents| Part { area: Arc::clone(self), start, used: 0, contents };
        let mut taken = self.taken.lock();
        if let Some(held) = taken.parts.iter_mut().find(|it| it.there && rails.are(&it.contents)) {
            held.users += 1;
            return Some(part(held.start, None));
        }
        let size = rails.bytes.max(1).checked_next_multiple_of(PART_ALIGNMENT)?;
        let start = taken.free(taken.next, size).or_else(|| taken.free(0, size))?;
        let end = start + size;
        taken.parts.retain(|it| it.end <= start || end <= it.start);
        let at = taken.parts.partition_point(|it| it.start < start);
        let contents = rails.copy();
        let held = Held { start, end, users: 1, contents: Arc::clone(&contents), there: false };
        taken.parts.insert(at, held);
        taken.next = end;
        Some(part(start, Some(contents)))
    }
}

impl Taken {
    /// The first place from `from` on that no launch uses.
    fn free(&self, from: u32, size: u32) -> Option<u32> {
        let mut start = from;
        for held in self.parts.iter().filter(|it| it.users > 0) {
            if held.end <= start {
                continue;
            }
            if start + size <= held.start {
                break;
            }
            start = held.end;
        }
        (start + size <= AREA_SIZE).then_some(start)
    }
}

impl Part {
    /// The bytes to upload, and their address.
    pub(crate) fn upload(&self) -> Option<(Arc<[u8]>, u64)> {
        Some((Arc::clone(self.contents.as_ref()?), self.area.address + u64::from(self.start)))
    }

    /// Where the next rail is, from the start of the area.
    pub(crate) fn place(&mut self, bytes: u64) -> u64 {
        let offset = self.start + self.used;
        self.used = (self.used + bytes as u32).next_multiple_of(RAIL_ALIGNMENT);
        u64::from(offset)
    }

    /// The upload has ended.
    pub(crate) fn arrived(&mut self) {
        if self.contents.take().is_some() {
            let mut taken = self.area.taken.lock();
            taken.parts.iter_mut().filter(|it| it.start == self.start).for_each(|it| it.there = true);
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut taken = self.area.taken.lock();
        taken.parts.retain_mut(|it| {
            it.users -= u32::from(it.start == self.start);
            it.users > 0 || it.there
        });
    }
}

/// The constant rails of a launch.
pub(crate) struct Rails<'a> {
    rails: Vec<&'a [u8]>,
    /// What they take.
    bytes: u32,
}

impl<'a> Rails<'a> {
    fn new(rails: Vec<&'a [u8]>) -> Option<Rails<'a>> {
        let mut sum = 0_u32;
        for rail in &rails {
            sum =
                sum.checked_add(u32::try_from(rail.len()).ok()?.checked_next_multiple_of(RAIL_ALIGNMENT)?)?;
        }
        (1..=AREA_SIZE).contains(&sum).then_some(Rails { rails, bytes: sum })
    }

    /// Whether these are the contents of a part.
    fn are(&self, contents: &[u8]) -> bool {
        let mut rest = contents;
        contents.len() == self.bytes as usize
            && self.rails.iter().all(|rail| {
                let (own, others) = rest.split_at(rail.len().next_multiple_of(RAIL_ALIGNMENT as usize));
                rest = others;
                own.starts_with(rail)
            })
    }

    fn copy(&self) -> Arc<[u8]> {
        let mut all = Vec::with_capacity(self.bytes as usize);
        for rail in &self.rails {
            all.extend_from_slice(rail);
            all.resize(all.len().next_multiple_of(RAIL_ALIGNMENT as usize), 0);
        }
        all.into()
    }
}

/// The constant rails of a launch, if there are any and they fit into the constant memory.
///
/// # Safety
/// The rails that the environment names are valid as long as the result.
pub(crate) unsafe fn wanted<'a>(kernel: &Kernel, environment: &[u8]) -> Option<Rails<'a>> {
    let mut rails = Vec::new();
    for capture in captures(kernel).iter().filter(|it| it.kind == capture_kind::CONSTANT_RAIL) {
        let bytes = &environment[capture.offset as usize..][..size_of::<KernelRail>()];
        // SAFETY: the bytes are there; only plain data is read.
        let rail = unsafe { bytes.as_ptr().cast::<KernelRail>().read_unaligned() };
        let bytes = usize::try_from(rail.length).ok()?.checked_mul(capture.element_size as usize)?;
        rails.push(match bytes {
            0 => &[],
            // SAFETY: the caller vouches for the rails of the environment.
            _ => unsafe { std::slice::from_raw_parts(rail.data.cast::<u8>(), bytes) },
        });
    }
    Rails::new(rails)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(area: &Arc<Area>, value: u8, bytes: usize) -> Option<Part> {
        let rail = vec![value; bytes];
        area.take(&Rails::new(vec![&rail]).expect("it fits"))
    }

    #[test]
    fn launches_take_different_parts() {
        let area = Area::new(1 << 20);
        let mut first = take(&area, 1, 1000).expect("room");
        let second = take(&area, 2, AREA_SIZE as usize - 1024).expect("the rest");
        assert!(take(&area, 3, 1).is_none());
        assert_eq!((first.place(20), first.place(4)), (0, 32));
        assert_eq!(second.upload().map(|it| it.1), Some((1 << 20) + 1024));
        drop(first);
        let mut third = take(&area, 3, 256).expect("what the first had");
        assert_eq!(third.place(1), 0);
        drop(second);
        assert_eq!(take(&area, 2, AREA_SIZE as usize - 1024).map(|mut it| it.place(1)), Some(256));
        assert!(Rails::new(vec![&vec![0; AREA_SIZE as usize + 1]]).is_none() && Rails::new(vec![]).is_none());
    }

    #[test]
    fn cached_constants_are_not_uploaded_again() {
        let area = Area::new(0);
        let mut first = take(&area, 1, 100).expect("room");
        // Not there yet, and other contents.
        let other = take(&area, 1, 100).expect("room");
        assert!(other.upload().is_some() && other.start != first.start);
        first.arrived();
        let shared = take(&area, 1, 100).expect("the same");
        assert!(shared.upload().is_none() && shared.start == first.start);
        assert!(take(&area, 2, 100).is_some_and(|it| it.upload().is_some()));
        assert!(take(&area, 1, 101).is_some_and(|it| it.upload().is_some()));
        drop((first, shared));
        assert!(take(&area, 1, 100).is_some_and(|it| it.upload().is_none()));
        // An upload that failed has left nothing that is known.
        drop(take(&area, 5, 100));
        assert!(take(&area, 5, 100).is_some_and(|it| it.upload().is_some()));
        // Unused parts are evicted.
        drop(other);
        assert!(take(&area, 6, AREA_SIZE as usize).is_some());
        assert!(take(&area, 1, 100).is_some_and(|it| it.upload().is_some()));
    }

    #[test]
    fn rails_are_compared_one_by_one() {
        let (a, b) = ([1_u8; 20], [2_u8; 4]);
        let both = Rails::new(vec![&a, &b]).expect("short");
        let contents = both.copy();
        assert_eq!((contents.len(), &contents[..20], &contents[32..36]), (48, &a[..], &b[..]));
        assert!(both.are(&contents));
        let changed = [1_u8; 4];
        assert!(!Rails::new(vec![&a, &changed]).expect("short").are(&contents));
        assert!(!Rails::new(vec![&a]).expect("short").are(&contents));
    }
}
