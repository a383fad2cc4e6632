//! Place-local storage (`x10.lang.PlaceLocalHandle`): one object for each place, by a number that is the same
//! everywhere.
//!
//! Programs look objects up in innermost loops, so that generated code does it itself ([`Table`]).

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicPtr, Ordering};

use parking_lot::Mutex;

use crate::base::place::{self, Part, PlacePart, here};
use crate::heap;
use crate::heap::{Handle, Ref};
use crate::layout::Object;

/// Low bits of a number, which hold a count; the others hold the place that made it.
pub const COUNTER_BITS: u32 = 40;
/// Number of places whose numbers are in tables.
pub const MAX_TABLE_PLACES: usize = 1024;
/// Numbers of each place that are in its table.
pub const MAX_TABLE_NUMBERS: usize = 1 << 16;

/// The objects of the first numbers of each place, null where there is none; null itself before any is set.
pub type Table = [AtomicPtr<AtomicPtr<Object>>; MAX_TABLE_PLACES];

/// The place-local storage of a place.
pub(crate) struct PlaceLocals {
    last: AtomicI64,
    /// Keeps all objects alive, and finds those that are not in tables.
    objects: Mutex<HashMap<i64, Handle>>,
    table: Table,
}

impl Default for PlaceLocals {
    fn default() -> PlaceLocals {
        let table = [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_TABLE_PLACES];
        PlaceLocals { last: AtomicI64::new(0), objects: Mutex::default(), table }
    }
}

// SAFETY: the only type with that part.
unsafe impl PlacePart for PlaceLocals {
    const PART: Part = Part::PlaceLocals;
}

fn own() -> &'static PlaceLocals {
    place::part()
}

/// What generated code of this place looks numbers up in.
pub fn table() -> &'static Table {
    &own().table
}

/// A new number: each place counts in a range of its own, without communication.
pub fn new_local() -> i64 {
    i64::from(here()) << COUNTER_BITS | (own().last.fetch_add(1, Ordering::Relaxed) + 1)
}

/// The table that a number's maker has, and the number's entry in it.
fn table_entry(number: i64) -> Option<(&'static AtomicPtr<AtomicPtr<Object>>, usize)> {
    let count = number & ((1 << COUNTER_BITS) - 1);
    let entry = usize::try_from(count).ok().filter(|entry| *entry < MAX_TABLE_NUMBERS)?;
    Some((table().get(usize::try_from(number >> COUNTER_BITS).ok()?)?, entry))
}

/// This place's object, or null.
pub fn local(number: i64) -> Ref {
    own().objects.lock().get(&number).map_or(Ref::NULL, Handle::get)
}

/// Sets this place's object; null ends it.
pub fn set_local(number: i64, object: Ref) {
    let handle = (!object.is_null()).then(|| Handle::new(object));
    // The old one is dropped after the lock is released.
    let _old = {
        let mut objects = own().objects.lock();
        set_table_entry(number, object);
        match handle {
            Some(handle) => objects.insert(number, handle),
            None => objects.remove(&number),
        }
    };
}

/// Sets the entry of a table, under the lock. Where the system gives no memory for one, there is none.
fn set_table_entry(number: i64, object: Ref) {
    let Some((own, entry)) = table_entry(number) else { return };
    let mut entries = own.load(Ordering::Acquire);
    if entries.is_null() {
        let Some(memory) = heap::reserve_memory(MAX_TABLE_NUMBERS * size_of::<AtomicPtr<Object>>()) else {
            return;
        };
        entries = memory.cast();
        own.store(entries, Ordering::Release);
    }
    // SAFETY: inside the zeroed memory that was reserved for all entries.
    unsafe { (*entries.add(entry)).store(object.0, Ordering::Release) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unique_and_initially_null() {
        let (one, other) = (new_local(), new_local());
        assert_ne!(one, other);
        assert!(local(one).is_null());
        set_local(one, Ref::NULL);
        assert!(local(one).is_null());
    }

    /// What generated code finds, and what the runtime does; also of a number that no table has.
    #[test]
    fn set_objects_are_found() {
        let object = heap::allocate(heap::tests::node()).expect("room");
        let first = (7 << COUNTER_BITS) | 5;
        for number in [first, first + MAX_TABLE_NUMBERS as i64] {
            let found = || match table_entry(number) {
                // SAFETY: the table was made when the object was set.
                Some((own, entry)) => unsafe {
                    (*own.load(Ordering::Acquire).add(entry)).load(Ordering::Acquire)
                },
                None => local(number).0,
            };
            set_local(number, object);
            assert_eq!((found(), local(number)), (object.0, object));
            set_local(number, Ref::NULL);
            assert_eq!((found(), local(number)), (std::ptr::null_mut(), Ref::NULL));
        }
    }

    #[test]
    fn first_numbers_are_in_the_table() {
        assert_eq!(table_entry(5).map(|it| it.1), Some(5));
        assert!(std::ptr::eq(table_entry((3 << COUNTER_BITS) | 7).expect("an entry").0, &table()[3]));
        assert!(table_entry(MAX_TABLE_NUMBERS as i64).is_none());
        assert!(table_entry((MAX_TABLE_PLACES as i64) << COUNTER_BITS).is_none());
    }
}
