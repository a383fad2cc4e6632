//! References held by Rust code, by other places and by string constants.

use std::collections::HashMap;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::object::Ref;
use super::threads;
use crate::layout::Object;

/// Keeps an object alive for Rust code.
#[derive(Debug)]
pub struct Handle {
    object: Ref,
    shard: u32,
    index: u32,
}

const SHARDS: usize = 64;

struct Shard {
    objects: Vec<Ref>,
    free: Vec<u32>,
}

static HANDLES: [Mutex<Shard>; SHARDS] =
    [const { Mutex::new(Shard { objects: Vec::new(), free: Vec::new() }) }; SHARDS];

/// Spreads threads over the shards.
fn own_shard() -> u32 {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    SHARD.with(|shard| *shard as u32)
}

impl Handle {
    /// Of an object, or of null.
    pub fn new(object: Ref) -> Handle {
        if object.is_null() {
            return Handle { object, shard: 0, index: u32::MAX };
        }
        let _critical = threads::critical();
        let shard = own_shard();
        let mut table = HANDLES[shard as usize].lock();
        let index = match table.free.pop() {
            Some(index) => {
                table.objects[index as usize] = object;
                index
            }
            None => {
                table.objects.push(object);
                (table.objects.len() - 1) as u32
            }
        };
        Handle { object, shard, index }
    }

    /// The object.
    pub fn get(&self) -> Ref {
        self.object
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.index != u32::MAX {
            let _critical = threads::critical();
            let mut table = HANDLES[self.shard as usize].lock();
            table.objects[self.index as usize] = Ref::NULL;
            table.free.push(self.index);
        }
    }
}

/// Objects that other places may name (GlobalRef, GlobalRail, PlaceLocalHandle).
struct Globals {
    objects: HashMap<i64, Ref, FxBuildHasher>,
    numbers: HashMap<Ref, i64, FxBuildHasher>,
    last: i64,
}

static GLOBALS: Mutex<Globals> = Mutex::new(Globals {
    objects: HashMap::with_hasher(FxBuildHasher),
    numbers: HashMap::with_hasher(FxBuildHasher),
    last: 0,
});

/// The number of an object for other places; the same object always has the same. 0 for null.
pub fn register_global(object: Ref) -> i64 {
    if object.is_null() {
        return 0;
    }
    let _critical = threads::critical();
    let mut globals = GLOBALS.lock();
    if let Some(number) = globals.numbers.get(&object) {
        return *number;
    }
    globals.last += 1;
    let number = globals.last;
    globals.objects.insert(number, object);
    globals.numbers.insert(object, number);
    number
}

/// The object with that number; `None` if it is unknown or forgotten, null for 0.
pub fn global(number: i64) -> Option<Ref> {
    if number == 0 {
        return Some(Ref::NULL);
    }
    let _critical = threads::critical();
    GLOBALS.lock().objects.get(&number).copied()
}

/// Ends a registration.
pub fn forget_global(number: i64) {
    let _critical = threads::critical();
    let mut globals = GLOBALS.lock();
    if let Some(object) = globals.objects.remove(&number) {
        globals.numbers.remove(&object);
    }
}

static INTERNED: Mutex<Option<HashMap<&'static [u8], Ref, FxBuildHasher>>> = Mutex::new(None);

/// The one string with this text: the known one, or what `make` makes.
pub fn interned<E>(text: &[u8], make: impl FnOnce() -> Result<Ref, E>) -> Result<Ref, E> {
    let known = {
        let _critical = threads::critical();
        INTERNED.lock().as_ref().and_then(|table| table.get(text).copied())
    };
    if let Some(string) = known {
        return Ok(string);
    }
    let string = make()?;
    let _critical = threads::critical();
    let mut table = INTERNED.lock();
    // The key is the string's own text: it is in the table, so it is never collected, and nothing moves.
    let bytes: &'static [u8] = string.bytes();
    Ok(*table.get_or_insert_default().entry(bytes).or_insert(string))
}

/// Exceptions that entries have raised lately: until its handler has it, an exception is known only to the unwinder's own
/// memory, in which nobody looks for references.
static RAISED: [AtomicPtr<Object>; 1024] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 1024];
static NEXT_RAISED: AtomicUsize = AtomicUsize::new(0);

/// Keeps an exception alive until it has surely been caught.
pub fn keep_raised(exception: Ref) {
    let slot = NEXT_RAISED.fetch_add(1, Ordering::Relaxed) % RAISED.len();
    RAISED[slot].store(exception.0, Ordering::Relaxed);
}

/// Calls `visit` with every object held here; all threads are stopped.
pub fn each(mut visit: impl FnMut(Ref)) {
    for shard in &HANDLES {
        shard.lock().objects.iter().copied().for_each(&mut visit);
    }
    GLOBALS.lock().objects.values().copied().for_each(&mut visit);
    RAISED.iter().map(|slot| Ref(slot.load(Ordering::Relaxed))).for_each(&mut visit);
    if let Some(table) = &*INTERNED.lock() {
        table.values().copied().for_each(&mut visit);
    }
}
