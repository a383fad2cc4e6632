//! Captured rails that stay on the device after their launch, for later launches that capture the same rail
//! unchanged. That it is unchanged is known, never guessed: a short rail is compared with what was sent, the
//! pages of a long one are watched.
//!
//! A rail is kept from its second upload on. One that had changed by the next launch is left alone for a
//! while, twice as long each time, so that a program that writes to it before every launch pays next to
//! nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;

use crate::device::Device;
use crate::device::cuda::buffer_pool::Buffer;
use crate::device::error::DeviceError;
use crate::heap::page_watch;
use crate::heap::page_watch::{PAGE, Watch};

/// Longer rails are watched, shorter ones compared.
const COMPARED: u64 = 128 << 10;
/// The part of the device's memory that is used for this at most.
const SHARE: u64 = 8;
/// How many rails are counted at once.
const COUNTED: usize = 1024;

const COMING: u8 = 0;
const THERE: u8 = 1;
const LOST: u8 = 2;

/// The rails that a device keeps, by address and length on the host.
#[derive(Default)]
pub struct Kept(Mutex<State>);

#[derive(Default)]
struct State {
    rails: HashMap<(usize, u64), Rail>,
    bytes: u64,
    /// Counts launches.
    clock: u64,
}

/// What is known of a rail.
#[derive(Default)]
struct Rail {
    uploads: u64,
    /// How often in a row it was kept in vain.
    failures: u32,
    /// The upload from which on it may be kept again.
    next: u64,
    used: u64,
    held: Option<Held>,
}

struct Held {
    buffer: Arc<Buffer>,
    bytes: u64,
    proof: Proof,
    state: Arc<AtomicU8>,
}

/// How it shows that a rail has not changed.
enum Proof {
    Same(Arc<[u8]>),
    /// The pages that are all its own, and what is before and behind them.
    Watched(Watch, Arc<Edges>),
}

/// The bytes of a rail in pages that it shares with others.
struct Edges {
    first: Box<[u8]>,
    last: Box<[u8]>,
}

/// A captured rail on the device.
pub struct Sent {
    /// Where it is, or will be.
    pub buffer: Arc<Buffer>,
    /// The upload that is still needed.
    pub upload: Option<Source>,
}

/// What is to be uploaded.
pub struct Source {
    /// Instead of the rail's own memory.
    pub copy: Option<Arc<[u8]>>,
    /// To be told that all is there.
    pub arrival: Option<Arrival>,
}

/// An upload of a rail that is kept. Dropped before it has arrived, the rail is not kept.
pub struct Arrival {
    state: Arc<AtomicU8>,
    edges: Option<(Arc<Edges>, Address, u64)>,
}

/// Of a captured rail, which is alive until its launch has ended.
struct Address(*const u8);

// SAFETY: only read.
unsafe impl Send for Address {}

impl Arrival {
    /// The device has the rail. The rail's memory must still be valid.
    pub fn arrived(self) {
        let same = self.edges.as_ref().is_none_or(|(edges, start, bytes)| {
            // SAFETY: by the caller.
            unsafe { edges.are_those_of(start.0, *bytes) }
        });
        if same {
            self.state.store(THERE, Ordering::Release);
        }
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let _ = self.state.compare_exchange(COMING, LOST, Ordering::AcqRel, Ordering::Relaxed);
    }
}

/// The pages that hold nothing but the rail.
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
    /// As above; the rail has that length.
    unsafe fn are_those_of(&self, start: *const u8, bytes: u64) -> bool {
        // SAFETY: inside the rail.
        unsafe {
            let last = start.add(bytes as usize - self.last.len());
            std::slice::from_raw_parts(start, self.first.len()) == &*self.first
                && std::slice::from_raw_parts(last, self.last.len()) == &*self.last
        }
    }
}

impl Proof {
    /// Made before the upload, which may not miss a change.
    ///
    /// # Safety
    /// The memory is valid.
    unsafe fn of(start: *const u8, bytes: u64, may_watch: bool) -> Option<Proof> {
        if bytes <= COMPARED {
            // SAFETY: by the caller.
            return Some(Proof::Same(unsafe { std::slice::from_raw_parts(start, bytes as usize) }.into()));
        }
        let (first, last) = own_pages(start as usize, bytes);
        let watch = may_watch.then(|| page_watch::watch(first, last))??;
        // SAFETY: by the caller.
        Some(Proof::Watched(watch, Arc::new(unsafe { Edges::of(start, bytes) })))
    }

    /// # Safety
    /// The memory is valid.
    unsafe fn holds(&self, start: *const u8, bytes: u64) -> bool {
        match self {
            // SAFETY: by the caller.
            Proof::Same(copy) => unsafe { std::slice::from_raw_parts(start, bytes as usize) == &**copy },
            // SAFETY: by the caller.
            Proof::Watched(watch, edges) => watch.is_clean() && unsafe { edges.are_those_of(start, bytes) },
        }
    }
}

impl Rail {
    fn is_worth_it(&self) -> bool {
        self.uploads >= 2 && self.uploads >= self.next
    }

    fn in_vain(&mut self) {
        self.failures += 1;
        self.next = self.uploads + (1 << self.failures.min(12));
    }
}

impl State {
    fn forget(&mut self, key: (usize, u64)) -> Option<Held> {
        let held = self.rails.get_mut(&key)?.held.take()?;
        self.bytes -= held.bytes;
        Some(held)
    }

    /// Gives up what was not used for longest.
    fn forget_oldest(&mut self) -> Option<Held> {
        let held = self.rails.iter().filter(|(_, rail)| rail.held.is_some());
        let key = *held.min_by_key(|(_, rail)| rail.used)?.0;
        self.forget(key)
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
        // SAFETY: by the caller.
        if let Some(buffer) = unsafe { self.kept.find(key) } {
            return Ok(Sent { buffer, upload: None });
        }
        let buffer = Arc::new(Buffer::new(self, bytes)?);
        // SAFETY: by the caller.
        let source = unsafe { self.kept.keep(key, &buffer, may_watch, self.total_memory / SHARE) };
        Ok(Sent { buffer, upload: Some(source) })
    }

    /// Gives all up that no launch uses; whether there was any.
    pub(crate) fn release_kept(&self) -> bool {
        let all: Vec<Held> = {
            let mut state = self.kept.0.lock();
            let keys: Vec<_> = state.rails.keys().copied().collect();
            keys.into_iter().filter_map(|key| state.forget(key)).collect()
        };
        !all.is_empty()
    }
}

impl Kept {
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
        let held = rail.held.as_ref()?;
        match held.state.load(Ordering::Acquire) {
            // SAFETY: by the caller.
            THERE if unsafe { held.proof.holds(key.0 as *const u8, key.1) } => {
                rail.failures = 0;
                return Some(Arc::clone(&held.buffer));
            }
            THERE => rail.in_vain(),
            // Another launch is at it; this one has its own copy.
            COMING => return None,
            _ => {}
        }
        let gone = state.forget(key);
        drop(state);
        drop(gone);
        None
    }

    /// Counts an upload of a rail to that buffer, which is kept if that is worth it.
    ///
    /// # Safety
    /// The memory is valid.
    unsafe fn keep(&self, key: (usize, u64), buffer: &Arc<Buffer>, may_watch: bool, most: u64) -> Source {
        let plain = Source { copy: None, arrival: None };
        let (start, bytes) = (key.0 as *const u8, key.1);
        let mut gone = Vec::new();
        let mut state = self.0.lock();
        if state.rails.len() >= COUNTED {
            state.rails.retain(|_, rail| rail.held.is_some());
        }
        let rail = state.rails.entry(key).or_default();
        rail.uploads += 1;
        if !rail.is_worth_it() || rail.held.is_some() || bytes > most {
            return plain;
        }
        while state.bytes + bytes > most
            && let Some(held) = state.forget_oldest()
        {
            gone.push(held);
        }
        // SAFETY: by the caller.
        let proof = unsafe { Proof::of(start, bytes, may_watch) }.or_else(|| {
            // There may be too many that are watched.
            gone.extend(if may_watch { state.forget_oldest() } else { None });
            gone.clear();
            // SAFETY: as above.
            unsafe { Proof::of(start, bytes, may_watch) }
        });
        let Some(proof) = proof else {
            state.rails.entry(key).or_default().in_vain();
            return plain;
        };
        let progress = Arc::new(AtomicU8::new(COMING));
        let source = match &proof {
            Proof::Same(copy) => Source {
                copy: Some(Arc::clone(copy)),
                arrival: Some(Arrival { state: Arc::clone(&progress), edges: None }),
            },
            Proof::Watched(_, edges) => {
                let edges = Some((Arc::clone(edges), Address(start), bytes));
                Source { copy: None, arrival: Some(Arrival { state: Arc::clone(&progress), edges }) }
            }
        };
        state.bytes += bytes;
        let held = Held { buffer: Arc::clone(buffer), bytes, proof, state: progress };
        state.rails.entry(key).or_default().held = Some(held);
        drop(state);
        drop(gone);
        source
    }
}

#[cfg(test)]
mod tests {
    use super::Rail;

    #[test]
    fn a_rail_that_changes_before_every_launch_is_hardly_looked_at() {
        let mut rail = Rail::default();
        let mut tries = Vec::new();
        for upload in 1..=100 {
            rail.uploads += 1;
            if rail.is_worth_it() {
                tries.push(upload);
                rail.in_vain();
            }
        }
        assert_eq!(tries, [2, 4, 8, 16, 32, 64]);
    }
}
