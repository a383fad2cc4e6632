//! Collection: stops all mutators, marks, sweeps, resumes (Jones, Hosking and Moss, "The Garbage Collection
//! Handbook", chapter 2).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, compiler_fence};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::base::sanitizer;
use crate::heap::alloc::blocks::{BLOCK, BUCKETS, CLASSES, Meta, NONE, Region, class_of, kind};
use crate::heap::alloc::free_lists::{FreeLists, release};
use crate::heap::alloc::mixed_blocks;
use crate::heap::alloc::state::{Heap, bytes_in_use, heap};
use crate::heap::hooks;
use crate::heap::mark::marker::Marker;
use crate::heap::mark::{roots, weak};
use crate::heap::safepoint::mutators;
use crate::heap::safepoint::mutators::Mutator;
use crate::heap::safepoint::registers::with_registers_on_stack;

/// Held by the thread that collects.
static COLLECTOR: Mutex<()> = Mutex::new(());
/// A collector waits for the holds to end.
static COLLECTION_PENDING: AtomicBool = AtomicBool::new(false);
/// For a collector that waits for the holds to end.
static HOLDS_CHANGED: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

static COLLECTIONS: AtomicU64 = AtomicU64::new(0);
static NANOSECONDS: AtomicU64 = AtomicU64::new(0);
static MAX_PAUSE_NANOSECONDS: AtomicU64 = AtomicU64::new(0);

/// What the collector has done so far.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// Collections.
    pub collections: u64,
    /// Sum of pauses, in nanoseconds.
    pub nanoseconds: u64,
    /// Longest pause, in nanoseconds.
    pub longest: u64,
    /// Bytes in use.
    pub in_use: usize,
}

/// What the collector has done so far.
pub fn statistics() -> Statistics {
    Statistics {
        collections: COLLECTIONS.load(Ordering::Relaxed),
        nanoseconds: NANOSECONDS.load(Ordering::Relaxed),
        longest: MAX_PAUSE_NANOSECONDS.load(Ordering::Relaxed),
        in_use: bytes_in_use(),
    }
}

/// Holds off the collector while it lives. It must end in the thread that made it, soon and without blocking.
#[derive(Debug)]
pub struct CollectionHold(std::marker::PhantomData<*const ()>);

/// Holds off the collector, for code that links new objects where no root shows them. A thread only says so
/// in its own record, without a fence: the collector stops it before it believes that there is no hold.
pub fn hold_collection() -> CollectionHold {
    let own = mutators::current();
    if own.holds.load(Ordering::Relaxed) == 0 {
        // A place may do nothing but unpack messages, all under holds: then this is where it collects.
        if heap().is_due(0) {
            collect_if_needed(0);
        }
        loop {
            own.holds.store(1, Ordering::Relaxed);
            compiler_fence(Ordering::SeqCst);
            if !COLLECTION_PENDING.load(Ordering::Acquire) {
                return CollectionHold(std::marker::PhantomData);
            }
            end_hold(own);
            // Until the collection is over.
            drop(COLLECTOR.lock());
        }
    }
    own.holds.store(own.holds.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    CollectionHold(std::marker::PhantomData)
}

impl Drop for CollectionHold {
    fn drop(&mut self) {
        end_hold(mutators::current());
    }
}

fn end_hold(own: &Mutator) {
    let holds = own.holds.load(Ordering::Relaxed) - 1;
    own.holds.store(holds, Ordering::Release);
    compiler_fence(Ordering::SeqCst);
    if holds == 0 && COLLECTION_PENDING.load(Ordering::Relaxed) {
        let _lock = HOLDS_CHANGED.0.lock();
        HOLDS_CHANGED.1.notify_all();
    }
}

/// Whether this thread holds off the collector.
pub(crate) fn is_held() -> bool {
    mutators::current().holds.load(Ordering::Relaxed) > 0
}

/// Collects now, unless this thread holds off the collector.
pub fn collect() {
    run(|_| true, true, || ());
}

/// Collects unless `attempt` gives something, and makes a second attempt while all threads are still stopped.
pub(crate) fn collect_until<R>(attempt: impl Fn() -> Option<R>) -> Option<R> {
    let result = Cell::new(None);
    let try_once = || {
        let found = attempt();
        let is_needed = found.is_none();
        result.set(found);
        is_needed
    };
    run(
        |_| try_once(),
        true,
        || {
            try_once();
        },
    );
    result.into_inner()
}

/// As [`collect_if_needed`], with the same condition.
pub(crate) fn collect_if_needed_after(collections: u64, blocks: usize) {
    run(|heap| COLLECTIONS.load(Ordering::Relaxed) == collections && heap.is_due(blocks), true, || ());
}

/// The same on request of another place: it requests no collections in turn, which would never end.
pub(crate) fn collect_for_others() {
    run(|_| true, false, || ());
}

/// Collects if `blocks` more would be more than planned, unless this thread holds off the collector.
pub(crate) fn collect_if_needed(blocks: usize) {
    run(|heap| heap.is_due(blocks), true, || ());
}

/// Collects if `needed` still holds once this thread may collect, and calls `swept` before other threads go
/// on. `requests`: other places are requested to collect, too, where little becomes free.
fn run(needed: impl FnOnce(&Heap) -> bool, requests: bool, swept: impl Fn()) {
    if mutators::current().holds.load(Ordering::Relaxed) > 0 {
        return;
    }
    let _collector = COLLECTOR.lock();
    let heap = heap();
    if !needed(heap) {
        return;
    }
    COLLECTION_PENDING.store(true, Ordering::SeqCst);
    let (died, time) = loop {
        wait_for_holds();
        let start = Instant::now();
        if let Some(died) = mark_and_sweep(heap, &swept) {
            break (died, start.elapsed());
        }
    };
    heap.note_time(time);
    let time = time.as_nanos() as u64;
    COLLECTIONS.fetch_add(1, Ordering::Relaxed);
    NANOSECONDS.fetch_add(time, Ordering::Relaxed);
    MAX_PAUSE_NANOSECONDS.fetch_max(time, Ordering::Relaxed);
    COLLECTION_PENDING.store(false, Ordering::SeqCst);
    if died {
        hooks::each_pressure(|pressure| pressure.references_changed());
    }
    if requests && heap.is_half_full() {
        hooks::each_pressure(|pressure| pressure.heap_filled());
    }
}

/// Waits until there seems to be no hold.
fn wait_for_holds() {
    /// A hold that ends while its thread does not see yet that a collector waits notifies nobody.
    const POLL_INTERVAL: Duration = Duration::from_micros(200);
    let mut lock = HOLDS_CHANGED.0.lock();
    while mutators::any(is_holding) {
        HOLDS_CHANGED.1.wait_for(&mut lock, POLL_INTERVAL);
    }
}

fn is_holding(mutator: &Mutator) -> bool {
    mutator.holds.load(Ordering::Acquire) > 0
}

/// Stops the world, marks and sweeps; whether a weakly referenced object died. `None`, with nothing done, if
/// a thread turns out to have a hold: what a stopped thread has written is visible.
fn mark_and_sweep(heap: &Heap, swept: &dyn Fn()) -> Option<bool> {
    let mut died = None;
    with_registers_on_stack(|stack_pointer| {
        let mut marker = Marker::new(&heap.region);
        mutators::with_world_stopped(stack_pointer, |mutators| {
            if mutators.iter().any(|mutator| is_holding(mutator)) {
                return;
            }
            roots::mark(&mut marker, mutators);
            marker.drain();
            died = Some(weak::note_dead(&marker));
            for mutator in mutators {
                mutator.cache.reset();
            }
            sweep(heap);
            swept();
        });
    });
    died
}

/// Frees what was not marked; all threads are stopped.
fn sweep(heap: &Heap) {
    let region = &heap.region;
    let mut free_lists = heap.free_lists();
    free_lists.partial = [NONE; CLASSES];
    free_lists.mixed = [NONE; BUCKETS];
    free_lists.cursor = 0;
    let (mut block, top) = (0, region.top());
    let (mut used, mut charged) = (0, 0);
    while block < top {
        match region.kind(block) {
            kind @ (kind::SMALL | kind::MIXED) => {
                let bytes = match kind {
                    kind::SMALL => sweep_small(heap, &mut free_lists, block),
                    _ => mixed_blocks::sweep(region, &mut free_lists, block),
                };
                used += usize::from(bytes > 0);
                charged += bytes;
                block += 1;
            }
            kind::LARGE => {
                // SAFETY: all threads are stopped.
                let meta = unsafe { &mut *region.meta(block) };
                let extent = meta.extent;
                if std::mem::take(&mut meta.marked) {
                    used += extent as usize;
                    charged += extent as usize * BLOCK;
                } else {
                    (block..block + extent).for_each(|free| release(region, &mut free_lists, free));
                }
                block += extent;
            }
            _ => block += 1,
        }
    }
    lower_top(region, &mut free_lists);
    // The sanitizer knows cells of one size only.
    if heap.is_short_of_blocks(used) && !sanitizer::is_present() {
        charged -= mixed_blocks::convert_sparse(region, &mut free_lists);
    }
    heap.plan(used, charged);
    if heap.is_beyond_limit(used) {
        mixed_blocks::release_pages(region, &free_lists);
    }
}

/// Lowers the top below free blocks at the end.
fn lower_top(region: &Region, free_lists: &mut FreeLists) {
    let mut top = region.top();
    while top > 0 && region.is_free(top - 1) {
        top -= 1;
        free_lists.free -= 1;
    }
    region.set_top(top);
}

/// Poisons cells that hold no object any more.
#[cold]
fn poison_freed(meta: &Meta, start: usize) {
    for (word, (allocated, marks)) in meta.allocated.iter().zip(&meta.marks).enumerate() {
        let mut freed = allocated & !marks;
        while freed != 0 {
            let cell = word * 64 + freed.trailing_zeros() as usize;
            sanitizer::poison(start + cell * meta.cell as usize, meta.cell as usize);
            freed &= freed - 1;
        }
    }
}

/// The bytes of a small block's objects: 0 if it is free now.
fn sweep_small(heap: &Heap, free_lists: &mut FreeLists, block: u32) -> usize {
    // SAFETY: all threads are stopped.
    let meta = unsafe { &mut *heap.region.meta(block) };
    let mut alive = 0;
    if sanitizer::watches_addresses() {
        poison_freed(meta, heap.region.address(block));
    }
    for (allocated, marks) in meta.allocated.iter_mut().zip(&mut meta.marks) {
        *allocated = std::mem::take(marks);
        alive += allocated.count_ones();
    }
    if alive == 0 {
        release(&heap.region, free_lists, block);
        return 0;
    }
    meta.clean = false;
    meta.extent = alive;
    if alive == meta.cells {
        return BLOCK;
    }
    let class = class_of(meta.cell as usize);
    meta.next = free_lists.partial[class];
    free_lists.partial[class] = block;
    (alive * meta.cell) as usize
}
