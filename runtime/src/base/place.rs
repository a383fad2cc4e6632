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
