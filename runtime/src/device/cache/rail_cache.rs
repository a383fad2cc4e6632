//! Cache of captured rails on a device, for later launches that capture the same rail unchanged. Changes are
//! detected exactly: a short rail is compared with a copy of the uploaded bytes, and the pages of a long rail
//! are watched ([`crate::heap::page_watch`]).
//!
//! A rail is cached from its second upload on. A rail that had changed by the next launch is not cached for a
//! while, twice as long each time (exponential backoff), so that a program that writes to it before every
//! launch has almost no overhead.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;

use crate::device::Device;
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::error::DeviceError;
use crate::heap::page_watch;
use crate::heap::page_watch::{PAGE, Watch};

/// Maximum size of a rail that is compared; longer rails are watched.
const MAX_COMPARED_SIZE: u64 = 128 << 10;
/// The maximum size of the cache is the device's memory divided by this.
const MEMORY_FRACTION: u64 = 8;
/// Maximum number of rails whose uploads are counted.
const MAX_COUNTED_RAILS: usize = 1024;

/// State of a cached rail's upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum UploadState {
    /// The upload has not ended.
    Pending,
    /// The device has the rail.
    Present,
    /// The upload failed, or the rail changed meanwhile.
    Lost,
}

/// An [`UploadState`] that a launch and its completion share.
struct AtomicUploadState(AtomicU8);

impl AtomicUploadState {
    fn new() -> AtomicUploadState {
        AtomicUploadState(AtomicU8::new(UploadState::Pending as u8))
    }

    fn get(&self) -> UploadState {
        match self.0.load(Ordering::Acquire) {
            0 => UploadState::Pending,
            1 => UploadState::Present,
            _ => UploadState::Lost,
        }
    }

    fn set_present(&self) {
        self.0.store(UploadState::Present as u8, Ordering::Release);
    }

    /// Marks an upload that is still pending as lost.
    fn lose_if_pending(&self) {
        let (pending, lost) = (UploadState::Pending as u8, UploadState::Lost as u8);
        let _ = self.0.compare_exchange(pending, lost, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// The cached rails of a device, by address and length on the host.
#[derive(Default)]
pub(crate) struct RailCache(Mutex<State>);

#[derive(Default)]
struct State {
    rails: HashMap<(usize, u64), Rail>,
    bytes: u64,
    /// Counts launches.
    clock: u64,
}

/// A rail and its history.
#[derive(Default)]
struct Rail {
    uploads: u64,
    /// Number of consecutive times that the rail was cached, and had changed by the next launch.
    failures: u32,
    /// Number of the upload from which on the rail may be cached again.
    next: u64,
    used: u64,
    cached: Option<CachedRail>,
}

struct CachedRail {
    buffer: Arc<Buffer>,
    bytes: u64,
    detector: ChangeDetector,
    state: Arc<AtomicUploadState>,
}

/// How a change of a rail is detected.
enum ChangeDetector {
    Copy(Arc<[u8]>),
    /// Watched pages that only the rail uses, and copies of its bytes before and after them.
    Watched(Watch, Arc<Edges>),
}

/// The bytes of a rail in pages that it shares with others.
struct Edges {
    first: Box<[u8]>,
    last: Box<[u8]>,
}

/// A captured rail on the device.
pub(crate) struct Sent {
    /// Its buffer on the device.
    pub buffer: Arc<Buffer>,
    /// The upload that is still needed.
    pub upload: Option<Source>,
}

/// An upload that is needed.
pub(crate) struct Source {
    /// The bytes to upload, instead of the rail's memory.
    pub copy: Option<Arc<[u8]>>,
    /// To be completed when the upload has ended.
    pub arrival: Option<Arrival>,
}

/// The upload of a cached rail. If it is dropped before its end, the rail is not cached.
pub(crate) struct Arrival {
    state: Arc<AtomicUploadState>,
    edges: Option<(Arc<Edges>, Address, u64)>,
}

/// Address of a captured rail, which is alive until its launch has ended.
struct Address(*const u8);

// SAFETY: only read.
unsafe impl Send for Address {}

impl Arrival {
    /// The device has the rail. The rail's memory must still be valid.
    pub(crate) fn arrived(self) {
        let same = self.edges.as_ref().is_none_or(|(edges, start, bytes)| {
            // SAFETY: the rail is alive until its launch has ended, and the caller completes the upload
            // before.
            unsafe { edges.are_those_of(start.0, *bytes) }
        });
        if same {
            self.state.set_present();
        }
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.state.lose_if_pending();
    }
}

/// The pages that hold only this rail.
fn own_pages(start: usize, bytes: u64) -> (usize, usize) {
    (start.next_multiple_of(PAGE), (start + bytes as usize) / PAGE * PAGE)
}

impl Edges {
    /// # Safety
    /// The memory is valid and long enough to have pages of its own.
    unsafe fn of(start: *const u8, bytes: u64) -> Edges {
        let (first, last) = own_pages(start as usize, bytes);
        // SAFETY: inside the rail.
        let part = |from: usize, to: usize| unsafe {
            std::slice::from_raw_parts(start.add(from - start as usize), to - from).into()
        };
        Edges { first: part(start as usize, first), last: part(last, start as usize + bytes as usize) }
    }

    /// # Safety
    /// The memory is valid and `bytes` long, which includes the edges.
    unsafe fn are_those_of(&self, start: *const u8, bytes: u64) -> bool {
        // SAFETY: inside the rail.
        unsafe {
            let last = start.add(bytes as usize - self.last.len());
            std::slice::from_raw_parts(start, self.first.len()) == &*self.first
                && std::slice::from_raw_parts(last, self.last.len()) == &*self.last
        }
    }
}

impl ChangeDetector {
    /// Made before the upload, so that it misses no change.
    ///
    /// # Safety
    /// The memory is valid.
    unsafe fn of(start: *const u8, bytes: u64, may_watch: bool) -> Option<ChangeDetector> {
        if bytes <= MAX_COMPARED_SIZE {
            // SAFETY: the caller keeps the memory valid.
            return Some(ChangeDetector::Copy(
                unsafe { std::slice::from_raw_parts(start, bytes as usize) }.into(),
            ));
        }
        let (first, last) = own_pages(start as usize, bytes);
        let watch = may_watch.then(|| page_watch::watch(first, last))??;
        // SAFETY: the caller keeps the memory valid.
        Some(ChangeDetector::Watched(watch, Arc::new(unsafe { Edges::of(start, bytes) })))
    }

    /// # Safety
    /// The memory is valid.
    unsafe fn is_unchanged(&self, start: *const u8, bytes: u64) -> bool {
        match self {
            // SAFETY: the caller keeps the memory valid.
            ChangeDetector::Copy(copy) => unsafe {
                std::slice::from_raw_parts(start, bytes as usize) == &**copy
            },
            ChangeDetector::Watched(watch, edges) => {
                // SAFETY: the caller keeps the memory valid.
                watch.is_clean() && unsafe { edges.are_those_of(start, bytes) }
            }
        }
    }
}

impl Rail {
    fn is_worth_caching(&self) -> bool {
        self.uploads >= 2 && self.uploads >= self.next
    }

    fn record_failure(&mut self) {
        self.failures += 1;
        self.next = self.uploads + (1 << self.failures.min(12));
    }
}

impl State {
    fn evict(&mut self, key: (usize, u64)) -> Option<CachedRail> {
        let cached = self.rails.get_mut(&key)?.cached.take()?;
        self.bytes -= cached.bytes;
        Some(cached)
    }

    /// Evicts the least recently used rail.
    fn evict_least_recently_used(&mut self) -> Option<CachedRail> {
        let cached = self.rails.iter().filter(|(_, rail)| rail.cached.is_some());
        let key = *cached.min_by_key(|(_, rail)| rail.used)?.0;
        self.evict(key)
    }
}

impl Device {
    /// Room for a captured rail on the device, and what is to be uploaded to it. `may_watch` where all that
    /// writes to the rail's memory is known.
    ///
    /// # Safety
    /// The memory is valid until the launch has ended.
    pub(crate) unsafe fn send_rail(
        self: &Arc<Self>,
        start: *const u8,
        bytes: u64,
        may_watch: bool,
    ) -> Result<Sent, DeviceError> {
        let key = (start as usize, bytes);
        // SAFETY: the caller keeps the memory valid.
        if let Some(buffer) = unsafe { self.rail_cache.find(key) } {
            return Ok(Sent { buffer, upload: None });
        }
        let buffer = Arc::new(Buffer::new(self, bytes)?);
        // SAFETY: the caller keeps the memory valid.
        let source =
            unsafe { self.rail_cache.insert(key, &buffer, may_watch, self.total_memory / MEMORY_FRACTION) };
        Ok(Sent { buffer, upload: Some(source) })
    }

    /// Evicts all rails; whether there were any.
    pub(crate) fn evict_all_rails(&self) -> bool {
        let all: Vec<CachedRail> = {
            let mut state = self.rail_cache.0.lock();
            let keys: Vec<_> = state.rails.keys().copied().collect();
            keys.into_iter().filter_map(|key| state.evict(key)).collect()
        };
        !all.is_empty()
    }
}

impl RailCache {
    /// The rail of that address and length, if it is on the device as it is now.
    ///
    /// # Safety
    /// The memory is valid.
    unsafe fn find(&self, key: (usize, u64)) -> Option<Arc<Buffer>> {
        let mut state = self.0.lock();
        state.clock += 1;
        let now = state.clock;
        let rail = state.rails.get_mut(&key)?;
        rail.used = now;
        let cached = rail.cached.as_ref()?;
        match cached.state.get() {
            // SAFETY: the caller keeps the memory valid.
            UploadState::Present if unsafe { cached.detector.is_unchanged(key.0 as *const u8, key.1) } => {
                rail.failures = 0;
                return Some(Arc::clone(&cached.buffer));
            }
            UploadState::Present => rail.record_failure(),
            // Another launch uploads it; this launch makes its own copy.
            UploadState::Pending => return None,
            UploadState::Lost => {}
        }
        let gone = state.evict(key);
        drop(state);
        drop(gone);
        None
    }

    /// Counts an upload of a rail to that buffer, which is cached if that is worthwhile.
    ///
    /// # Safety
    /// The memory is valid.
    unsafe fn insert(&self, key: (usize, u64), buffer: &Arc<Buffer>, may_watch: bool, most: u64) -> Source {
        let plain = Source { copy: None, arrival: None };
        let (start, bytes) = (key.0 as *const u8, key.1);
        let mut gone = Vec::new();
        let mut state = self.0.lock();
        if state.rails.len() >= MAX_COUNTED_RAILS {
            state.rails.retain(|_, rail| rail.cached.is_some());
        }
        let rail = state.rails.entry(key).or_default();
        rail.uploads += 1;
        if !rail.is_worth_caching() || rail.cached.is_some() || bytes > most {
            return plain;
        }
        while state.bytes + bytes > most
            && let Some(cached) = state.evict_least_recently_used()
        {
            gone.push(cached);
        }
        // SAFETY: the caller keeps the memory valid.
        let detector = unsafe { ChangeDetector::of(start, bytes, may_watch) }.or_else(|| {
            // There may be too many watches.
            gone.extend(if may_watch { state.evict_least_recently_used() } else { None });
            gone.clear();
            // SAFETY: the caller keeps the memory valid.
            unsafe { ChangeDetector::of(start, bytes, may_watch) }
        });
        let Some(detector) = detector else {
            state.rails.entry(key).or_default().record_failure();
            return plain;
        };
        let progress = Arc::new(AtomicUploadState::new());
        let source = match &detector {
            ChangeDetector::Copy(copy) => Source {
                copy: Some(Arc::clone(copy)),
                arrival: Some(Arrival { state: Arc::clone(&progress), edges: None }),
            },
            ChangeDetector::Watched(_, edges) => {
                let edges = Some((Arc::clone(edges), Address(start), bytes));
                Source { copy: None, arrival: Some(Arrival { state: Arc::clone(&progress), edges }) }
            }
        };
        state.bytes += bytes;
        let cached = CachedRail { buffer: Arc::clone(buffer), bytes, detector, state: progress };
        state.rails.entry(key).or_default().cached = Some(cached);
        drop(state);
        drop(gone);
        source
    }
}

#[cfg(test)]
mod tests {
    use super::Rail;

    #[test]
    fn rail_that_changes_before_every_launch_is_rarely_cached() {
        let mut rail = Rail::default();
        let mut tries = Vec::new();
        for upload in 1..=100 {
            rail.uploads += 1;
            if rail.is_worth_caching() {
                tries.push(upload);
                rail.record_failure();
            }
        }
        assert_eq!(tries, [2, 4, 8, 16, 32, 64]);
    }
}
