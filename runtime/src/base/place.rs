//! The number of the place that the calling thread works for.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

/// The place of a process that has only one.
static HERE: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// The place that this thread works for, in a process with several.
    static CURRENT: Cell<Option<PlaceId>> = const { Cell::new(None) };
}

/// The number of the place that the calling thread works for.
///
/// Not inlined: an activity may have moved to another thread since it last asked.
#[inline(never)]
pub fn here() -> PlaceId {
    CURRENT.get().unwrap_or_else(|| PlaceId(HERE.load(Ordering::Relaxed)))
}

/// Sets the place that the calling thread works for, and returns the former one.
pub(crate) fn replace_current(place: Option<PlaceId>) -> Option<PlaceId> {
    CURRENT.replace(place)
}

/// Sets the number of this process's place, before anything asks for it.
pub(crate) fn set_here(place: PlaceId) {
    HERE.store(place.0, Ordering::Relaxed);
}

/// The number of a host place: a process of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlaceId(pub u32);

impl PlaceId {
    /// The place where `main` runs, which starts and ends the others.
    pub const ZERO: PlaceId = PlaceId(0);

    /// The host places of a program of `count` of them, in order.
    pub fn first(count: u32) -> impl DoubleEndedIterator<Item = PlaceId> + Clone {
        (0..count).map(PlaceId)
    }

    /// The place as an index of tables by place.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<PlaceId> for i64 {
    #[inline]
    fn from(place: PlaceId) -> i64 {
        i64::from(place.0)
    }
}

impl From<PlaceId> for u64 {
    #[inline]
    fn from(place: PlaceId) -> u64 {
        u64::from(place.0)
    }
}

impl std::fmt::Display for PlaceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "place {}", self.0)
    }
}

/// The number of a machine on which places run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);
