//! Handles: references to objects from Rust code. Roots of the collector.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::fatal::fail_and_suspend;
use crate::heap::alloc::blocks::reserve;
use crate::heap::safepoint::mutators;
use crate::layout::Object;
use crate::layout::Ref;

/// Keeps an object alive for Rust code.
#[derive(Debug)]
pub struct Handle {
    object: Ref,
    shard: u32,
    index: u32,
}

const SHARDS: usize = 64;
/// Most handles of a shard; addresses for them are reserved at once.
const CAPACITY: usize = 1 << 22;
/// No free entry.
const END: u32 = u32::MAX;

/// A table of objects. Free entries form a list: an entry with its lowest bit set holds the index of the next
/// one. Changed in critical sections only, so it must not call the system's allocator (see
/// [`crate::heap::safepoint::mutators`]).
struct Shard {
    entries: *mut usize,
    used: u32,
    free: u32,
}

// SAFETY: used under its lock.
unsafe impl Send for Shard {}

static HANDLES: [Mutex<Shard>; SHARDS] =
    [const { Mutex::new(Shard { entries: std::ptr::null_mut(), used: 0, free: END }) }; SHARDS];

/// The shard of this thread, which spreads threads over the shards.
fn own_shard(new: Option<usize>) -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SHARD: Cell<usize> = Cell::new(NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS);
    }
    SHARD.with(|shard| {
        new.inspect(|new| shard.set(*new));
        shard.get()
    })
}

/// Stores an object in the shard `own` of this thread, else in any: where address space is limited, few
/// have any. The shard and the index.
fn insert(own: usize, object: Ref) -> (u32, u32) {
    let inserted = |shard: usize| Some((shard, lock(&HANDLES[shard]).insert(object)?));
    let (shard, index) = inserted(own).unwrap_or_else(|| {
        let found = (0..SHARDS).find_map(inserted).unwrap_or_else(|| out_of_handles());
        own_shard(Some(found.0));
        found
    });
    (shard as u32, index)
}

impl Shard {
    fn entry(&self, index: u32) -> *mut usize {
        self.entries.wrapping_add(index as usize)
    }

    /// Stores an object; its index. `None` without a free entry, or without address space for entries.
    fn insert(&mut self, object: Ref) -> Option<u32> {
        if self.entries.is_null() {
            self.entries = reserve(CAPACITY * size_of::<usize>())?.cast();
        }
        let index = self.free;
        let index = if index == END {
            if self.used as usize == CAPACITY {
                return None;
            }
            self.used += 1;
            self.used - 1
        } else {
            // SAFETY: an entry in use once, so inside the table.
            self.free = unsafe { (self.entry(index).read() >> 1) as u32 };
            index
        };
        // SAFETY: an index below `used`, so inside the table.
        unsafe { self.entry(index).write(object.address()) };
        Some(index)
    }

    fn remove(&mut self, index: u32) {
        // SAFETY: an entry in use.
        unsafe { self.entry(index).write((self.free as usize) << 1 | 1) };
        self.free = index;
    }
}

fn out_of_handles() -> ! {
    const TEXT: &[u8] =
        b"apg: no memory for the runtime's references to objects: there are too many at once, \
        or the limit on address space is reached (see `ulimit -v`)\n";
    // SAFETY: a plain system call.
    unsafe { libc::write(2, TEXT.as_ptr().cast(), TEXT.len()) };
    fail_and_suspend(1)
}

fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Handle {
    /// Of an object, or of null.
    pub fn new(object: Ref) -> Handle {
        if object.is_null() {
            return Handle { object, shard: 0, index: u32::MAX };
        }
        let own = own_shard(None);
        let _critical = mutators::critical();
        let (shard, index) = insert(own, object);
        Handle { object, shard, index }
    }

    /// The object.
    pub fn get(&self) -> Ref {
        self.object
    }

    /// Gives the handle to code that keeps it as a number.
    pub fn into_raw(self) -> u64 {
        let raw = u64::from(self.shard) << 32 | u64::from(self.index);
        std::mem::forget(self);
        raw
    }

    /// Ends the handle of that number, which [`Handle::into_raw`] gave. In a thread that has ended but for
    /// the destructors of its thread-local variables nothing can be done: the object stays.
    pub fn release_raw(raw: u64) {
        let (shard, index) = ((raw >> 32) as u32, raw as u32);
        if mutators::can_register() {
            drop(Handle { object: Ref::NULL, shard, index });
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.index != u32::MAX {
            let _critical = mutators::critical();
            lock(&HANDLES[self.shard as usize]).remove(self.index);
        }
    }
}

/// Calls `visit` with every object held here; all threads are stopped.
pub(super) fn each(mut visit: impl FnMut(Ref)) {
    for shard in &HANDLES {
        let shard = lock(shard);
        for index in 0..shard.used {
            // SAFETY: an entry in use, or in the list of free ones.
            let entry = unsafe { shard.entry(index).read() };
            if entry & 1 == 0 {
                visit(Ref(entry as *mut Object));
            }
        }
    }
}
