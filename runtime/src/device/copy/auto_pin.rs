//! Automatic pinning: a long rail that is copied repeatedly is page-locked in the background
//! (`cuMemHostRegister`), and from then on the device copies it by DMA. Pageable memory must be staged
//! through pinned buffers. Pinning costs as much as one or two copies, so a rail that is copied once is not
//! pinned.
//!
//! Memory of the heap stays pinned after its rail has died, for the next rail there. Code that returns memory
//! to the system must check [`touches`] first ([`crate::heap::hooks::register_pinned`]), since the device
//! would continue to use the old pages.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use crate::device::cuda::driver;
use crate::device::cuda::driver::{Context, sys};
use crate::heap::hooks::register_pinned;
use crate::heap::page_watch;

/// Minimum size of a copy that counts.
const MIN_SIZE: usize = 256 << 10;
/// Number of copies of the same memory after which it is pinned.
const MIN_COPIES: u32 = 2;
/// Maximum size of one call to the driver. Pinned parts can be used while the rest is being pinned, and a
/// collection may have to wait for the end of the call.
const MAX_PIN_SIZE: usize = 32 << 20;
/// Unit of pinning. Long rails share their first and last pages with no other object.
const PAGE: usize = 4096;
/// Maximum number of ranges whose copies are counted.
const MAX_COUNTED_RANGES: usize = 1024;

/// Whether memory was ever pinned; read to avoid the lock.
static ANY: AtomicBool = AtomicBool::new(false);
/// A lock of the standard library, since that allocates nothing: the heap calls [`touches`] in allocations.
static PINNED: Mutex<Pinned> =
    Mutex::new(Pinned { ranges: BTreeMap::new(), bytes: 0, clock: 0, copies: None });

struct Pinned {
    /// Pinned ranges by first byte.
    ranges: BTreeMap<usize, PinnedRange>,
    bytes: usize,
    /// Counts copies.
    clock: u64,
    /// Copies so far of memory that is not pinned, by its range.
    copies: Option<HashMap<(usize, usize), u32>>,
}

/// Memory that was pinned by one call to the driver.
struct PinnedRange {
    end: usize,
    /// Copies in progress.
    users: u32,
    /// [`Pinned::clock`] at the last copy.
    used: u64,
    /// The range is being unpinned.
    leaving: bool,
}

/// Part of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its bytes in host memory.
    pub range: Range<usize>,
    /// Whether the bytes are pinned, so that the device can copy them by DMA.
    pub pinned: bool,
}

/// The parts of a copy. The pinned ones stay pinned until this is dropped.
pub(crate) struct Parts {
    /// In order, without gaps.
    pub parts: Vec<Part>,
}

/// A request to pin a range. It keeps the rail alive.
struct Request {
    range: Range<usize>,
    context: Arc<Context>,
    _keep: Box<dyn Any + Send>,
}

fn pinned() -> MutexGuard<'static, Pinned> {
    PINNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether some of this memory is pinned, or may be. This never waits: the heap calls it while no collection
/// can begin, and the holder of the lock may be stopped for a collection.
pub(crate) fn touches(start: usize, bytes: usize) -> bool {
    if !ANY.load(Ordering::Acquire) {
        return false;
    }
    let pinned = match PINNED.try_lock() {
        Ok(pinned) => pinned,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return true,
    };
    pinned.overlapping(&(start..start + bytes)).next().is_some()
}

/// Splits a copy of this memory into pinned and pageable parts.
pub(crate) fn parts(start: usize, bytes: usize) -> Parts {
    let whole = start..start + bytes;
    if bytes < MIN_SIZE || !ANY.load(Ordering::Acquire) {
        return Parts { parts: vec![Part { range: whole, pinned: false }] };
    }
    Parts { parts: pinned().claim(&whole) }
}

/// The parts of a copy if all of them are pinned.
pub(crate) fn whole(start: usize, bytes: usize) -> Option<Parts> {
    Some(parts(start, bytes)).filter(|it| it.parts.iter().all(|part| part.pinned))
}

impl Parts {
    /// The ranges of the parts in host memory.
    pub(crate) fn ranges(&self) -> Vec<Range<usize>> {
        self.parts.iter().map(|part| part.range.clone()).collect()
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        if self.parts.iter().any(|part| part.pinned) {
            let mut pinned = pinned();
            for part in self.parts.iter().filter(|part| part.pinned) {
                if let Some(piece) = pinned.piece_at(part.range.start) {
                    piece.users -= 1;
                }
            }
        }
    }
}

/// Notes a copy of a rail's memory, and requests the pinning if it is worthwhile. `keep` makes a value that
/// keeps the rail alive.
pub(crate) fn copied<K: Any + Send>(
    start: usize,
    bytes: usize,
    context: &Arc<Context>,
    keep: impl FnOnce() -> K,
) {
    if bytes < MIN_SIZE || !pinned().is_worth_it(start, bytes) {
        return;
    }
    let range = start / PAGE * PAGE..(start + bytes).next_multiple_of(PAGE);
    let request = Request { range, context: Arc::clone(context), _keep: Box::new(keep()) };
    if let Some(worker) = worker() {
        // If the worker has ended, nothing is pinned, and copies are staged.
        let _ = worker.lock().unwrap_or_else(PoisonError::into_inner).send(request);
    }
}

/// The channel to the thread that pins.
fn worker() -> Option<&'static Mutex<Sender<Request>>> {
    static WORKER: OnceLock<Option<Mutex<Sender<Request>>>> = OnceLock::new();
    let start = || {
        let (sender, receiver) = channel::<Request>();
        let serve = move || {
            for request in receiver {
                request.serve();
            }
        };
        let started = std::thread::Builder::new().name("apg-pin".to_owned()).spawn(serve);
        started.ok().map(|_| Mutex::new(sender))
    };
    WORKER.get_or_init(start).as_ref()
}

/// Maximum size of pinned memory: half of the physical memory, since other processes cannot use it.
fn limit() -> usize {
    static LIMIT: OnceLock<usize> = OnceLock::new();
    *LIMIT.get_or_init(|| {
        // SAFETY: plain system calls.
        let (pages, size) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        if pages > 0 && size > 0 { pages as usize * size as usize / 2 } else { 0 }
    })
}

impl Request {
    fn serve(&self) {
        if self.context.enter().is_err() {
            return;
        }
        let gaps: Vec<_> = pinned().gaps(&self.range).collect();
        for gap in gaps {
            let mut start = gap.start;
            while start < gap.end {
                let end = (start + MAX_PIN_SIZE).min(gap.end);
                if !make_room(end - start) || !pin(start..end) {
                    return;
                }
                start = end;
            }
        }
    }
}

fn pin(range: Range<usize>) -> bool {
    // Read-only pages cannot be pinned; a watch that begins now only prevents the pinning.
    page_watch::release(range.start, range.len());
    // SAFETY: memory of the heap, which is never unmapped; it is released before it is given back to the
    // system.
    let result = unsafe {
        sys::cuMemHostRegister_v2(range.start as *mut _, range.len(), sys::CU_MEMHOSTREGISTER_PORTABLE)
    };
    let done = driver::check(result).is_ok();
    if done {
        let mut pinned = pinned();
        let used = pinned.clock;
        pinned.bytes += range.len();
        pinned.ranges.insert(range.start, PinnedRange { end: range.end, users: 0, used, leaving: false });
        register_pinned(touches);
        ANY.store(true, Ordering::Release);
    }
    done
}

/// Releases the least recently used ranges until `bytes` more may be pinned.
fn make_room(bytes: usize) -> bool {
    while pinned().bytes + bytes > limit() {
        let Some((start, length)) = pinned().leave() else { return false };
        // SAFETY: pinned by `pin`; no copy uses it, and none will.
        unsafe { sys::cuMemHostUnregister(start as *mut _) };
        let mut pinned = pinned();
        pinned.ranges.remove(&start);
        pinned.bytes -= length;
    }
    true
}

impl Pinned {
    fn overlapping(&self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let first = self.ranges.range(..=range.start).next_back().map_or(range.start, |(start, _)| *start);
        let (from, to) = (range.start, range.end);
        self.ranges
            .range(first..to)
            .map(|(start, piece)| *start..piece.end)
            .filter(move |piece| piece.end > from && piece.start < to)
    }

    /// The parts of a range that are not pinned.
    fn gaps(&self, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut edges = vec![range.start];
        edges.extend(self.overlapping(range).flat_map(|piece| [piece.start, piece.end]));
        edges.push(range.end);
        let gaps: Vec<_> =
            edges.chunks(2).map(|edge| edge[0]..edge[1]).filter(|gap| gap.start < gap.end).collect();
        gaps.into_iter()
    }

    fn piece_at(&mut self, address: usize) -> Option<&mut PinnedRange> {
        self.ranges.range_mut(..=address).next_back().map(|(_, piece)| piece)
    }

    /// The parts of a copy; pinned ones are in use until [`Parts`] is dropped.
    fn claim(&mut self, whole: &Range<usize>) -> Vec<Part> {
        self.clock += 1;
        let now = self.clock;
        let found: Vec<_> = self.overlapping(whole).collect();
        let (mut parts, mut at) = (Vec::new(), whole.start);
        for range in found {
            let Some(piece) = self.ranges.get_mut(&range.start).filter(|piece| !piece.leaving) else {
                continue;
            };
            piece.users += 1;
            piece.used = now;
            let range = range.start.max(whole.start)..range.end.min(whole.end);
            if at < range.start {
                parts.push(Part { range: at..range.start, pinned: false });
            }
            at = range.end;
            parts.push(Part { range, pinned: true });
        }
        if at < whole.end {
            parts.push(Part { range: at..whole.end, pinned: false });
        }
        parts
    }

    /// Whether this memory has been copied often enough, and is not pinned.
    fn is_worth_it(&mut self, start: usize, bytes: usize) -> bool {
        let copies = self.copies.get_or_insert_default();
        if copies.len() >= MAX_COUNTED_RANGES {
            copies.clear();
        }
        let count = copies.entry((start, bytes)).or_insert(0);
        *count += 1;
        if *count != MIN_COPIES {
            return false;
        }
        // Counted from 0 again after the range is unpinned.
        copies.remove(&(start, bytes));
        self.gaps(&(start..start + bytes)).next().is_some()
    }

    /// Chooses the least recently used idle range for unpinning: its first byte and its length.
    fn leave(&mut self) -> Option<(usize, usize)> {
        let idle = self.ranges.iter_mut().filter(|(_, piece)| piece.users == 0 && !piece.leaving);
        let (start, piece) = idle.min_by_key(|(_, piece)| piece.used)?;
        piece.leaving = true;
        Some((*start, piece.end - *start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(ranges: &[(usize, usize)]) -> Pinned {
        let mut all = Pinned { ranges: BTreeMap::new(), bytes: 0, clock: 0, copies: None };
        for (start, end) in ranges {
            all.ranges
                .insert(*start, PinnedRange { end: *end, users: 0, used: *start as u64, leaving: false });
            all.bytes += end - start;
        }
        all
    }

    #[test]
    fn copies_are_split_at_pinned_boundaries() {
        let mut all = with(&[(100, 200), (200, 300), (400, 500)]);
        let parts = |all: &mut Pinned, range: Range<usize>| -> Vec<_> {
            all.claim(&range).into_iter().map(|part| (part.range, part.pinned)).collect()
        };
        assert_eq!(parts(&mut all, 0..50), [(0..50, false)]);
        assert_eq!(parts(&mut all, 120..180), [(120..180, true)]);
        let expected =
            [(50..100, false), (100..200, true), (200..300, true), (300..400, false), (400..450, true)];
        assert_eq!(parts(&mut all, 50..450), expected);
        assert_eq!(all.gaps(&(50..600)).collect::<Vec<_>>(), [50..100, 300..400, 500..600]);
        assert_eq!(all.gaps(&(110..290)).count(), 0);
        // The last one has a single user, the first has two: none is released.
        assert_eq!(all.leave(), None);
        assert_eq!(all.ranges[&100].users, 2);
    }

    #[test]
    fn least_recently_used_range_is_released_first() {
        let mut all = with(&[(100, 200), (300, 450)]);
        assert_eq!(all.leave(), Some((100, 100)));
        // A range that is being unpinned is not used by new copies.
        assert_eq!(all.claim(&(100..120)), [Part { range: 100..120, pinned: false }]);
        assert_eq!(all.leave(), Some((300, 150)));
        assert_eq!(all.leave(), None);
    }

    #[test]
    fn second_copy_pins_once() {
        let mut all = with(&[(100, 200)]);
        assert!(!all.is_worth_it(1000, 50));
        assert!(!all.is_worth_it(1000, 60));
        assert!(all.is_worth_it(1000, 50));
        assert!(!all.is_worth_it(110, 50));
        assert!(!all.is_worth_it(110, 50), "pinned already");
    }
}
