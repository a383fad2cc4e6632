//! Weak references, which can be made strong and weak again. The collector notes which of their objects have
//! died.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::heap::alloc::blocks::reserve;
use crate::heap::mark::marker::Marker;
use crate::heap::safepoint::mutators;
use crate::layout::Object;
use crate::layout::Ref;

/// Most references; addresses for them are reserved at once.
const CAPACITY: usize = 1 << 26;
/// In an entry: not in use; the rest is the index of the next such one.
const FREE: usize = 1;
/// The object is kept alive.
const KEPT: usize = 2;
/// The object has died.
const DEAD: usize = 4;
const FLAGS: usize = 7;
/// No free entry.
const END: u32 = u32::MAX;

/// Changed in critical sections only, since the collector reads and writes it while all threads are stopped.
struct Entries {
    first: *mut usize,
    used: u32,
    free: u32,
}

// SAFETY: used under its lock, or while all threads are stopped.
unsafe impl Send for Entries {}

static ENTRIES: Mutex<Entries> = Mutex::new(Entries { first: std::ptr::null_mut(), used: 0, free: END });
/// Collections in which objects have died.
static DEATHS: AtomicU64 = AtomicU64::new(0);

/// A number that changes when objects die.
pub(crate) fn deaths() -> u64 {
    DEATHS.load(Ordering::Relaxed)
}

impl Entries {
    fn at(&self, index: u32) -> *mut usize {
        self.first.wrapping_add(index as usize)
    }

    fn with<R>(work: impl FnOnce(&mut Entries) -> R) -> R {
        let _critical = mutators::critical();
        work(&mut ENTRIES.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A reference.
pub(crate) struct Slot(u32);

impl Slot {
    /// To an object that is alive. Without memory for it none: then nobody learns of the object's death, as
    /// if it lived for ever.
    pub(crate) fn new(object: Ref) -> Slot {
        let slot = Entries::with(|entries| {
            if entries.first.is_null() {
                entries.first =
                    reserve(CAPACITY * size_of::<usize>()).map_or(std::ptr::null_mut(), <*mut u8>::cast);
            }
            let index = match entries.free {
                END if entries.first.is_null() || entries.used as usize == CAPACITY => return Slot::empty(),
                END => {
                    entries.used += 1;
                    entries.used - 1
                }
                index => {
                    // SAFETY: an entry in use once.
                    entries.free = unsafe { (entries.at(index).read() >> 3) as u32 };
                    index
                }
            };
            // SAFETY: an entry of the table.
            unsafe { entries.at(index).write(FREE) };
            Slot(index)
        });
        slot.set(object);
        slot
    }

    /// To nothing.
    pub(crate) fn empty() -> Slot {
        Slot(END)
    }

    fn word<R>(&self, work: impl FnOnce(&mut usize) -> R) -> Option<R> {
        // SAFETY: an entry in use.
        (self.0 != END).then(|| Entries::with(|entries| work(unsafe { &mut *entries.at(self.0) })))
    }

    /// Another object in place of this one.
    pub(crate) fn set(&self, object: Ref) {
        self.word(|word| *word = object.address() | (*word & KEPT));
    }

    /// The object, if it is alive.
    pub(crate) fn get(&self) -> Option<Ref> {
        let word = self.word(|word| *word)?;
        (word & DEAD == 0).then_some(Ref((word & !FLAGS) as *mut Object))
    }

    /// Whether the object has died.
    pub(crate) fn is_dead(&self) -> bool {
        self.word(|word| *word & DEAD != 0).unwrap_or(false)
    }

    /// Whether the object is kept alive from now on.
    pub(crate) fn keep(&self, kept: bool) {
        self.word(|word| *word = *word & !KEPT | if kept { KEPT } else { 0 });
    }

    /// Ends the reference.
    pub(crate) fn free(&mut self) {
        let index = std::mem::replace(&mut self.0, END);
        if index != END {
            Entries::with(|entries| {
                // SAFETY: an entry in use.
                unsafe { entries.at(index).write((entries.free as usize) << 3 | FREE) };
                entries.free = index;
            });
        }
    }
}

/// Calls `visit` with every entry in use; all threads are stopped.
fn each(mut visit: impl FnMut(&mut usize)) {
    let entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    for index in 0..entries.used {
        // SAFETY: an entry of the table.
        let word = unsafe { &mut *entries.at(index) };
        if *word & FREE == 0 {
            visit(word);
        }
    }
}

/// Marks the objects that are kept alive; all threads are stopped.
pub(crate) fn mark_kept(marker: &mut Marker<'_>) {
    each(|word| {
        if *word & KEPT != 0 {
            marker.reference(Ref((*word & !FLAGS) as *mut Object));
        }
    });
}

/// Notes which objects were not marked: whether there are some. All threads are stopped.
pub(crate) fn note_dead(marker: &Marker<'_>) -> bool {
    let mut died = false;
    each(|word| {
        if *word & (KEPT | DEAD) == 0 && !marker.is_marked(Ref(*word as *mut Object)) {
            *word = DEAD;
            died = true;
        }
    });
    if died {
        DEATHS.fetch_add(1, Ordering::Relaxed);
    }
    died
}
