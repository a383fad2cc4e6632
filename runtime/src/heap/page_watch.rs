//! Memory whose first change is noticed. Its pages are made read-only: who writes to one meets a fault, whose handler makes all of them
//! writable again and notes that the memory may have changed, and the write is done again. So nobody who writes needs to know.
//!
//! What changes memory past the processor's own stores has to say so with [`release`]: devices that write to it, the system when it reads
//! a file into it, or when it takes the pages away.
//!
//! The table is read and written by signal handlers, so that nothing in it waits: who may be stopped while somebody waits for a lock
//! would be waited for for ever. Protections change in an order that keeps this true: memory that is watched and clean, and that nobody is just
//! releasing, cannot be written.

use std::cell::Cell;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Most ranges that are watched at once.
const SLOTS: usize = 64;
/// The unit of protection.
pub const PAGE: usize = 4096;
/// Bits of a range for how many pages it has; the others are the number of the first one.
const COUNT_BITS: u32 = 28;
/// Faults at one address without a reason that is seen, while no pages are released, before it is believed that there is another one. As
/// often a call of the system is tried again that has met watched pages.
const PATIENCE: u32 = 16;

const FREE: u32 = 0;
const CLEAN: u32 = 1;
const CHANGED: u32 = 2;

struct Slot {
    /// In one word, so that nobody reads parts of two.
    range: AtomicU64,
    state: AtomicU32,
}

static TABLE: [Slot; SLOTS] =
    [const { Slot { range: AtomicU64::new(0), state: AtomicU32::new(FREE) } }; SLOTS];
/// Whether anything was ever watched.
static USED: AtomicBool = AtomicBool::new(false);
/// Held while slots are given out and taken back, never by a handler.
static OWNERS: Mutex<()> = Mutex::new(());
/// How often pages were released.
static RELEASES: AtomicU64 = AtomicU64::new(0);
/// How many are just releasing pages: these may be writable already though their state does not say so yet.
static RELEASING: AtomicU32 = AtomicU32::new(0);

/// A fault without a reason that is seen.
#[derive(Clone, Copy)]
struct Puzzle {
    address: usize,
    /// How often pages had been released then: a fault may be of the time before.
    releases: u64,
    times: u32,
}

thread_local! {
    /// The last one, and how often it was met.
    static PUZZLE: Cell<Puzzle> = const { Cell::new(Puzzle { address: 0, releases: 0, times: 0 }) };
}

/// Whole pages that are watched until this is dropped.
#[derive(Debug)]
pub struct Watch(usize);

/// Watches the pages from `start` to `end`, which are the heap's; None if too many are watched, or the system refuses.
pub fn watch(start: usize, end: usize) -> Option<Watch> {
    if !start.is_multiple_of(PAGE) || !end.is_multiple_of(PAGE) || start >= end {
        return None;
    }
    let (first, count) = ((start / PAGE) as u64, ((end - start) / PAGE) as u64);
    if first >> (u64::BITS - COUNT_BITS) != 0 || count >> COUNT_BITS != 0 {
        return None;
    }
    let _owner = OWNERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let free = TABLE.iter().position(|slot| slot.state.load(Ordering::SeqCst) == FREE)?;
    let slot = &TABLE[free];
    slot.range.store(first << COUNT_BITS | count, Ordering::SeqCst);
    slot.state.store(CLEAN, Ordering::SeqCst);
    USED.store(true, Ordering::SeqCst);
    // The slot is there before the first fault can be.
    if !protect(start, end, libc::PROT_READ) {
        slot.release();
        slot.state.store(FREE, Ordering::SeqCst);
        return None;
    }
    Some(Watch(free))
}

impl Watch {
    /// Whether nobody has written to it since it is watched. Waits for who is just releasing pages: a moment, unless that one is stopped for a
    /// collection, so that no handler and no critical section may ask.
    pub fn is_clean(&self) -> bool {
        while RELEASING.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        TABLE[self.0].state.load(Ordering::SeqCst) == CLEAN
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _owner = OWNERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let slot = &TABLE[self.0];
        // Others who watch the same pages lose their protection. It may be here though this one is not clean: who changed pages that
        // two watch has released those of one. What the system does not release stays in the table, for the handler.
        if slot.release() {
            slot.state.store(FREE, Ordering::SeqCst);
        }
    }
}

impl Slot {
    fn range(&self) -> (usize, usize) {
        let range = self.range.load(Ordering::SeqCst);
        let (first, count) = ((range >> COUNT_BITS) as usize, (range & ((1 << COUNT_BITS) - 1)) as usize);
        (first * PAGE, (first + count) * PAGE)
    }

    fn overlaps(&self, start: usize, end: usize) -> bool {
        let (own_start, own_end) = self.range();
        self.state.load(Ordering::SeqCst) != FREE && own_start < end && start < own_end
    }

    /// Makes its pages writable; whether the system does.
    fn release(&self) -> bool {
        let (start, end) = self.range();
        RELEASING.fetch_add(1, Ordering::SeqCst);
        let done = protect(start, end, libc::PROT_READ | libc::PROT_WRITE);
        // Only now: a watch that begins meanwhile is seen here, or protects its pages after this.
        for other in TABLE.iter().filter(|other| other.overlaps(start, end)) {
            other.state.store(CHANGED, Ordering::SeqCst);
        }
        RELEASING.fetch_sub(1, Ordering::SeqCst);
        // Before the slot can be free: who finds no reason for a fault sees that there was one.
        RELEASES.fetch_add(u64::from(done), Ordering::SeqCst);
        done
    }
}

/// Says that memory changes, or may, in a way that raises no fault. It can be written without one from then on.
pub fn release(start: usize, bytes: usize) {
    if USED.load(Ordering::SeqCst) {
        release_range(start, start.saturating_add(bytes));
    }
}

/// Whether there was something to release, and all of it was.
fn release_range(start: usize, end: usize) -> bool {
    let (mut any, mut all) = (false, true);
    for slot in TABLE.iter().filter(|slot| slot.overlaps(start, end)) {
        any = true;
        all &= slot.release();
    }
    any && all
}

/// Calls the system with memory that it writes to, as often as it meets pages that somebody began to watch meanwhile: it raises no faults,
/// but fails.
pub fn written_by_system<R>(
    start: usize,
    bytes: usize,
    mut call: impl FnMut() -> io::Result<R>,
) -> io::Result<R> {
    let mut times = 0;
    loop {
        release(start, bytes);
        match call() {
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) && times < PATIENCE => times += 1,
            result => return result,
        }
    }
}

/// For the handler of faults: whether the instruction can be tried again.
pub fn fault(address: usize) -> bool {
    if !USED.load(Ordering::SeqCst) {
        return false;
    }
    if release_range(address, address + 1) {
        return true;
    }
    // Somebody may have released the page since; or it is no page of ours, or one that the system does not release.
    let releases = RELEASES.load(Ordering::SeqCst);
    let last = PUZZLE.get();
    let same = last.address == address && last.releases == releases;
    let times = if same { last.times + 1 } else { 1 };
    PUZZLE.set(Puzzle { address, releases, times });
    times < PATIENCE
}

fn protect(start: usize, end: usize, protection: i32) -> bool {
    // SAFETY: pages of the heap, which stay mapped. Who writes to them meets `fault`.
    unsafe { libc::mprotect(start as *mut _, end - start, protection) == 0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Pages of their own, and a thread whose faults are handled.
    pub fn pages(count: usize) -> usize {
        crate::base::signals::prepare_thread();
        let bytes = count * PAGE;
        // SAFETY: new memory, never freed.
        let memory = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0)
        };
        assert_ne!(memory, libc::MAP_FAILED);
        memory as usize
    }

    pub fn write(address: usize, value: u64) {
        // SAFETY: in pages of the test.
        unsafe { (address as *mut u64).write_volatile(value) };
    }

    fn read(address: usize) -> u64 {
        // SAFETY: as above.
        unsafe { (address as *const u64).read_volatile() }
    }

    #[test]
    fn the_first_write_is_noticed_and_done() {
        let start = pages(4);
        write(start + 8, 5);
        let watched = watch(start, start + 3 * PAGE).expect("a slot");
        assert_eq!(read(start + 8), 5);
        write(start + 3 * PAGE, 1);
        assert!(watched.is_clean(), "reading is no change, and the last page is not watched");
        write(start + 2 * PAGE, 7);
        assert!(!watched.is_clean());
        assert_eq!(read(start + 2 * PAGE), 7);
        write(start, 9);
        drop(watched);
        let again = watch(start, start + PAGE).expect("a slot");
        write(start + PAGE, 2);
        assert!(again.is_clean());
        release(start + 100, 8);
        assert!(!again.is_clean());
    }

    #[test]
    fn watches_of_the_same_pages_end_together() {
        let start = pages(4);
        let (first, second) = (watch(start, start + 2 * PAGE), watch(start + PAGE, start + 4 * PAGE));
        let (first, second) = (first.expect("a slot"), second.expect("a slot"));
        drop(first);
        assert!(!second.is_clean(), "its first page can be written");
        // The others still raise faults.
        write(start + 3 * PAGE, 3);
        assert_eq!(read(start + 3 * PAGE), 3);
        assert!(watch(start + 1, start + PAGE).is_none() && watch(start, start).is_none());
    }

    #[test]
    fn what_nobody_watches_any_more_can_be_written() {
        let start = pages(4);
        let first = watch(start, start + 2 * PAGE).expect("a slot");
        let second = watch(start + PAGE, start + 4 * PAGE).expect("a slot");
        // The second has changed then, and its last page is read-only still.
        drop(first);
        drop(second);
        write(start + 3 * PAGE, 3);
        assert_eq!(read(start + 3 * PAGE), 3);
    }

    #[test]
    fn a_fault_is_explained_by_who_released_the_page_meanwhile() {
        let start = pages(1);
        for _ in 0..4 * PATIENCE {
            drop(watch(start, start + PAGE).expect("a slot"));
            assert!(fault(start), "it was watched a moment ago");
        }
        // While other tests release pages it takes longer.
        assert!((0..1_000_000).any(|_| !fault(start)), "nobody watches it");
    }

    #[test]
    fn what_the_system_does_not_release_is_no_endless_fault() {
        let start = pages(1);
        let watched = watch(start, start + PAGE).expect("a slot");
        // SAFETY: the test's own page, which nothing touches after this.
        unsafe { libc::munmap(start as *mut _, PAGE) };
        assert!((0..1_000_000).any(|_| !fault(start)));
        assert!(!watched.is_clean());
        std::mem::forget(watched);
    }

    #[test]
    fn the_system_writes_to_what_is_watched_again_meanwhile() {
        use std::io::{Read, Seek};
        let start = pages(2);
        let mut file = tempfile::tempfile().expect("a file");
        std::io::Write::write_all(&mut file, &[7; 2 * PAGE]).expect("written");
        file.rewind().expect("a file can");
        // SAFETY: pages of the test.
        let memory = unsafe { std::slice::from_raw_parts_mut(start as *mut u8, 2 * PAGE) };
        let mut watched = None;
        let read = written_by_system(start, 2 * PAGE, || {
            let again = watched.is_none();
            if again {
                watched = watch(start, start + 2 * PAGE);
            }
            file.read(memory)
        });
        assert_eq!(read.expect("it is tried again"), 2 * PAGE);
        assert!(memory.iter().all(|byte| *byte == 7));
        assert!(!watched.expect("a slot").is_clean());
        let nowhere = || Err::<(), _>(io::Error::from_raw_os_error(libc::EFAULT));
        assert!(written_by_system(start, 1, nowhere).is_err(), "an address of somebody else's");
    }

    /// Who writes to pages that somebody else is just making writable meets no fault, and has changed them all the same.
    #[test]
    fn who_has_written_finds_it_noticed() {
        let start = pages(1);
        let at_once = std::sync::Barrier::new(2);
        for round in 1..2000_u64 {
            let watched = watch(start, start + PAGE).expect("a slot");
            let write_and_look = |at| {
                at_once.wait();
                write(at, round);
                !watched.is_clean()
            };
            let noticed = std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    crate::base::signals::prepare_thread();
                    write_and_look(start + 8)
                });
                [write_and_look(start), other.join().expect("it ends")]
            });
            assert_eq!(noticed, [true; 2], "in round {round}");
        }
    }

    #[test]
    fn writers_of_several_threads_all_get_through() {
        let start = pages(16);
        for round in 1..50_u64 {
            let watched = watch(start, start + 16 * PAGE).expect("a slot");
            std::thread::scope(|scope| {
                for thread in 0..4_usize {
                    scope.spawn(move || {
                        crate::base::signals::prepare_thread();
                        (0..16).for_each(|page| write(start + page * PAGE + 8 * thread, round));
                    });
                }
            });
            assert!(!watched.is_clean());
            assert!((0..16).all(|page| (0..4).all(|thread| read(start + page * PAGE + 8 * thread) == round)));
        }
    }
}
