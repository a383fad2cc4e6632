//! Objects of a place that have names: numbers by which other places know them, and string constants by their
//! text. Each place has its own, also where several share a heap.

use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use crate::base::place::{self, Part, PlacePart};
use crate::heap::alloc::blocks::reserve;
use crate::heap::global_refs::References;
use crate::heap::handles::Handle;
use crate::layout::Object;
use crate::layout::Ref;

/// Named objects of a place.
#[derive(Default)]
pub(crate) struct PlaceObjects {
    globals: Mutex<Globals>,
    /// The objects of `globals` by number, null where there is none; null itself before the first. Programs
    /// ask for elements of a `GlobalRail` in their loops.
    by_number: AtomicPtr<AtomicPtr<Object>>,
    interned: Mutex<Interned>,
    /// References between this place and others.
    pub(super) references: References,
}

/// Objects that other places may name (GlobalRef, GlobalRail, PlaceLocalHandle).
#[derive(Default)]
struct Globals {
    objects: HashMap<i64, Handle, FxBuildHasher>,
    numbers: HashMap<Ref, i64, FxBuildHasher>,
    last: i64,
}

/// String constants by their text.
type Interned = HashMap<&'static [u8], Handle, FxBuildHasher>;

/// The most objects whose numbers are looked up without the lock; addresses for them are reserved at once.
const MAX_LOCK_FREE: usize = 1 << 20;

// SAFETY: the only type with that part.
unsafe impl PlacePart for PlaceObjects {
    const PART: Part = Part::Objects;
}

/// Those of the place that the calling thread works for.
pub(super) fn place_objects() -> &'static PlaceObjects {
    place::part()
}

impl PlaceObjects {
    /// The entry of a number, if it may have one.
    fn lock_free_entry(&self, number: i64) -> Option<&AtomicPtr<Object>> {
        let index = usize::try_from(number).ok().filter(|index| *index < MAX_LOCK_FREE)?;
        let entries = self.by_number.load(Ordering::Acquire);
        // SAFETY: inside the zeroed memory that was reserved for all of them, and is never given back.
        (!entries.is_null()).then(|| unsafe { &*entries.add(index) })
    }

    /// Sets the entry of a number, under the lock of `globals`.
    fn set_lock_free_entry(&self, number: i64, object: Ref) {
        if self.by_number.load(Ordering::Relaxed).is_null()
            && let Some(memory) = reserve(MAX_LOCK_FREE * size_of::<AtomicPtr<Object>>())
        {
            self.by_number.store(memory.cast(), Ordering::Release);
        }
        if let Some(entry) = self.lock_free_entry(number) {
            entry.store(object.0, Ordering::Release);
        }
    }
}

/// The number of an object for other places; the same object always has the same. 0 for null.
pub fn register_global(object: Ref) -> i64 {
    if object.is_null() {
        return 0;
    }
    let own = place_objects();
    let mut globals = own.globals.lock();
    if let Some(number) = globals.numbers.get(&object) {
        return *number;
    }
    globals.last += 1;
    let number = globals.last;
    globals.objects.insert(number, Handle::new(object));
    globals.numbers.insert(object, number);
    own.set_lock_free_entry(number, object);
    number
}

/// The object with that number; `None` if it is unknown or forgotten, null for 0.
pub fn global(number: i64) -> Option<Ref> {
    if number == 0 {
        return Some(Ref::NULL);
    }
    let own = place_objects();
    if let Some(entry) = own.lock_free_entry(number) {
        let object = entry.load(Ordering::Acquire);
        if !object.is_null() {
            return Some(Ref(object));
        }
    }
    own.globals.lock().objects.get(&number).map(Handle::get)
}

/// Ends a registration.
pub fn forget_global(number: i64) {
    let own = place_objects();
    let mut globals = own.globals.lock();
    if let Some(handle) = globals.objects.remove(&number) {
        own.set_lock_free_entry(number, Ref::NULL);
        globals.numbers.remove(&handle.get());
    }
}

/// The one string of the place with this text: the known one, or what `make` makes.
pub fn interned<E>(text: &[u8], make: impl FnOnce() -> Result<Ref, E>) -> Result<Ref, E> {
    let interned = &place_objects().interned;
    if let Some(handle) = interned.lock().get(text) {
        return Ok(handle.get());
    }
    let string = make()?;
    // The key is the string's own text: it is in the table, so it is never collected, and nothing moves.
    let bytes: &'static [u8] = string.bytes();
    Ok(interned.lock().entry(bytes).or_insert_with(|| Handle::new(string)).get())
}
