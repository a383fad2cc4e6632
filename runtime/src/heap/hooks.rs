//! Hooks: what the heap needs from the layers above it, which register themselves here.

use std::sync::OnceLock;

use parking_lot::Mutex;

use crate::base::place::{self, Part, PlacePart};

/// The part of garbage collection that crosses places. All calls except `remote_collections` return
/// without waiting.
pub trait HeapPressure: Send + Sync {
    /// From now on there are references between this place and others.
    fn begin(&self);
    /// Tokens of such references have died, or their homes have to hear of a change.
    fn references_changed(&self);
    /// Many tokens have arrived since the last collection.
    fn many_tokens_arrived(&self);
    /// A collection left the heap rather full.
    fn heap_filled(&self);
    /// Whether the calling thread may wait for other places: a reader of their messages must not.
    fn may_wait(&self) -> bool;
    /// The heap is full: has other places collect. Each item is a moment after which another attempt may
    /// succeed.
    fn remote_collections(&self) -> Box<dyn Iterator<Item = ()>>;
}

/// The collector of a place.
#[derive(Default)]
struct Pressure(OnceLock<&'static dyn HeapPressure>);

// SAFETY: the only type with that part.
unsafe impl PlacePart for Pressure {
    const PART: Part = Part::Pressure;
}

/// Those of the places that share the heap.
static PRESSURES: Mutex<Vec<&'static dyn HeapPressure>> = Mutex::new(Vec::new());

/// Registers the collector that crosses places for the place that the calling thread works for; later calls
/// do nothing.
pub fn register_pressure(pressure: &'static dyn HeapPressure) {
    if place::part::<Pressure>().0.set(pressure).is_ok() {
        PRESSURES.lock().push(pressure);
    }
}

/// The collector of the place that the calling thread works for; none before it is registered.
pub(crate) fn pressure() -> Option<&'static dyn HeapPressure> {
    place::part::<Pressure>().0.get().copied()
}

/// Calls `notify` with the collectors of all places that share the heap.
pub(crate) fn each_pressure(notify: impl Fn(&'static dyn HeapPressure)) {
    let all = PRESSURES.lock().clone();
    all.into_iter().for_each(notify);
}

/// Attempts to allocate that are worthwhile while other places collect; one where there are none.
pub(crate) fn remote_collections() -> Box<dyn Iterator<Item = ()>> {
    pressure().map_or_else(|| Box::new(std::iter::once(())) as Box<_>, HeapPressure::remote_collections)
}

/// Whether a range of memory (address, bytes) is pinned by a device.
type IsPinned = fn(usize, usize) -> bool;

static IS_PINNED: OnceLock<IsPinned> = OnceLock::new();

/// Registers the check for pinned memory, before anything is pinned; later calls do nothing.
pub fn register_pinned(check: IsPinned) {
    IS_PINNED.get_or_init(|| check);
}

/// Whether a device has pinned some of this memory, or may have: pages that it knows must not go back to the
/// system.
#[inline]
pub(crate) fn is_pinned(address: usize, bytes: usize) -> bool {
    IS_PINNED.get().is_some_and(|check| check(address, bytes))
}
