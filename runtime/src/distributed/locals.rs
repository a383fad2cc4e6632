//! Objects that every place has its own of, by a number that is the same everywhere (`x10.lang.PlaceLocalHandle`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;

use super::here;
use crate::memory::{Handle, Ref};

static NEXT: AtomicI64 = AtomicI64::new(1);
static LOCALS: Mutex<Option<HashMap<i64, Handle>>> = Mutex::new(None);

/// A new number: each place counts in a range of its own, so that nobody needs to be asked.
pub fn new_local() -> i64 {
    i64::from(here()) << 40 | NEXT.fetch_add(1, Ordering::Relaxed)
}

/// This place's object, or null.
pub fn local(number: i64) -> Ref {
    LOCALS.lock().as_ref().and_then(|locals| locals.get(&number)).map_or(Ref::NULL, Handle::get)
}

/// Sets this place's object; null ends it.
pub fn set_local(number: i64, object: Ref) {
    let handle = (!object.is_null()).then(|| Handle::new(object));
    // The old one is dropped after the lock is released.
    let _old = {
        let mut table = LOCALS.lock();
        let locals = table.get_or_insert_default();
        match handle {
            Some(handle) => locals.insert(number, handle),
            None => locals.remove(&number),
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_differ_and_what_is_not_set_is_null() {
        let (one, other) = (new_local(), new_local());
        assert_ne!(one, other);
        assert!(local(one).is_null());
        set_local(one, Ref::NULL);
        assert!(local(one).is_null());
    }
}
