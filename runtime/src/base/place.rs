//! The number of this process's place.

use std::sync::atomic::{AtomicU32, Ordering};

static HERE: AtomicU32 = AtomicU32::new(0);

/// The number of this process's place.
#[inline]
pub fn here() -> u32 {
    HERE.load(Ordering::Relaxed)
}

/// Sets the number of this process's place, before anything asks for it.
pub(crate) fn set_here(place: u32) {
    HERE.store(place, Ordering::Relaxed);
}

/// The number of a host place: a process of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlaceId(pub u32);

impl std::fmt::Display for PlaceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "place {}", self.0)
    }
}

/// The number of a machine on which places run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);
