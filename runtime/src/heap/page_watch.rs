//! Dirty-page tracking: notices the first write to watched memory, by page protection (a write barrier by
//! virtual memory; Jones, Hosking and Moss, "The Garbage Collection Handbook", "page protection barriers").
//!
//! Watched pages are read-only. A write to one of them faults. The fault handler makes all pages of the
//! watch writable and marks the watch as changed, and the CPU repeats the write. Mutator code needs no
//! barrier.
//!
//! Changes that raise no fault must be preceded by a call of [`release`]: writes by devices, system calls
//! that read into the memory, and the return of pages to the system.
//!
//! The table of watches is lock-free, since signal handlers use it: a handler would wait forever for a lock
//! that a stopped thread holds. The order of changes keeps this invariant: memory that is watched and clean,
//! and that no thread is releasing, cannot be written.

use std::cell::Cell;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

/// Maximum number of ranges that are watched at the same time.
const MAX_WATCHES: usize = 64;
/// The unit of protection.
pub const PAGE: usize = 4096;
/// Bits of [`Slot::range`] for the number of pages; the other bits hold the number of the first page.
const COUNT_BITS: u32 = 28;
/// Maximum number of faults at one address without a watch, while no pages are released; further ones are
/// faults of the program. Also the maximum number of repetitions of a system call that has met watched pages.
const MAX_ATTEMPTS: u32 = 16;

/// State of a slot of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum State {
    /// Not in use.
    Free,
    /// Watched, and not written since the watch began.
    Clean,
    /// Watched, and perhaps written.
    Changed,
}

/// A [`State`] that signal handlers may change.
struct AtomicState(AtomicU8);

impl AtomicState {
    const fn new(state: State) -> AtomicState {
        AtomicState(AtomicU8::new(state as u8))
    }

    #[inline]
    fn is(&self, state: State) -> bool {
        self.0.load(Ordering::SeqCst) == state as u8
    }

    #[inline]
    fn set(&self, state: State) {
        self.0.store(state as u8, Ordering::SeqCst);
    }
}

struct Slot {
    /// First page and number of pages in one word, so that no reader sees parts of two ranges.
    range: AtomicU64,
    state: AtomicState,
}

static TABLE: [Slot; MAX_WATCHES] =
    [const { Slot { range: AtomicU64::new(0), state: AtomicState::new(State::Free) } }; MAX_WATCHES];
/// Whether anything was ever watched.
static USED: AtomicBool = AtomicBool::new(false);
/// Held while a slot is allocated or freed; never by a signal handler.
static OWNERS: Mutex<()> = Mutex::new(());
/// Number of releases of pages so far.
static RELEASES: AtomicU64 = AtomicU64::new(0);
/// Number of threads that are releasing pages: these may be writable while their state is still clean.
static RELEASING: AtomicU32 = AtomicU32::new(0);

/// A fault on a page without a watch.
#[derive(Clone, Copy)]
struct UnexplainedFault {
    address: usize,
    /// [`RELEASES`] at the time of the fault: the fault may have been raised before the last release.
    releases: u64,
    times: u32,
}

thread_local! {
    /// The last such fault of this thread.
    static UNEXPLAINED_FAULT: Cell<UnexplainedFault> =
        const { Cell::new(UnexplainedFault { address: 0, releases: 0, times: 0 }) };
}

/// Whole pages that are watched until this is dropped.
#[derive(Debug)]
pub struct Watch(usize);

/// Watches the pages from `start` to `end`, which belong to the heap; `None` if all slots are in use, or the
/// system refuses the protection.
pub fn watch(start: usize, end: usize) -> Option<Watch> {
    if !start.is_multiple_of(PAGE) || !end.is_multiple_of(PAGE) || start >= end {
        return None;
    }
    let (first, count) = ((start / PAGE) as u64, ((end - start) / PAGE) as u64);
    if first >> (u64::BITS - COUNT_BITS) != 0 || count >> COUNT_BITS != 0 {
        return None;
    }
    let _owner = OWNERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let free = TABLE.iter().position(|slot| slot.state.is(State::Free))?;
    let slot = &TABLE[free];
    slot.range.store(first << COUNT_BITS | count, Ordering::SeqCst);
    slot.state.set(State::Clean);
    USED.store(true, Ordering::SeqCst);
    crate::base::signals::set_retry_hook(fault);
    // After the slot is filled: the first fault must find it.
    if !protect(start, end, libc::PROT_READ) {
        slot.release();
        slot.state.set(State::Free);
        return None;
    }
    Some(Watch(free))
}

impl Watch {
    /// Whether the memory was not written since the watch began. Waits for threads that are releasing pages:
    /// briefly, unless one of them is stopped for a collection, so that neither handlers nor critical
    /// sections may call this.
    pub fn is_clean(&self) -> bool {
        while RELEASING.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        TABLE[self.0].state.is(State::Clean)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _owner = OWNERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let slot = &TABLE[self.0];
        // Other watches of the same pages lose their protection and become changed. A changed watch may still
        // have protected pages: a write to pages of two watches releases those of one. Pages that the system
        // does not release stay in the table, for the handler.
        if slot.release() {
            slot.state.set(State::Free);
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
        !self.state.is(State::Free) && own_start < end && start < own_end
    }

    /// Makes the pages writable; false if the system refuses.
    fn release(&self) -> bool {
        let (start, end) = self.range();
        RELEASING.fetch_add(1, Ordering::SeqCst);
        let done = protect(start, end, libc::PROT_READ | libc::PROT_WRITE);
        // After the pages are writable: a watch that begins meanwhile is seen here, or protects its pages
        // after this.
        for other in TABLE.iter().filter(|other| other.overlaps(start, end)) {
            other.state.set(State::Changed);
        }
        RELEASING.fetch_sub(1, Ordering::SeqCst);
        // Before the slot can be free: a thread that finds no watch for its fault sees that pages were
        // released.
        RELEASES.fetch_add(u64::from(done), Ordering::SeqCst);
        done
    }
}

/// Marks watches of this memory as changed, and makes it writable: for changes that raise no fault.
pub fn release(start: usize, bytes: usize) {
    if USED.load(Ordering::SeqCst) {
        release_range(start, start.saturating_add(bytes));
    }
}

/// Releases all watches of a range; true if there are any, and the system has released all of them.
fn release_range(start: usize, end: usize) -> bool {
    let (mut any, mut all) = (false, true);
    for slot in TABLE.iter().filter(|slot| slot.overlaps(start, end)) {
        any = true;
        all &= slot.release();
    }
    any && all
}

/// Executes a system call that writes to this memory. The call fails with `EFAULT`, without a signal, if
/// another thread has begun to watch the pages meanwhile; then it is repeated.
pub fn written_by_system<R>(
    start: usize,
    bytes: usize,
    mut call: impl FnMut() -> io::Result<R>,
) -> io::Result<R> {
    let mut attempts = 0;
    loop {
        release(start, bytes);
        match call() {
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) && attempts < MAX_ATTEMPTS => {
                attempts += 1;
            }
            result => return result,
        }
    }
}

/// Called by the fault handler: whether the instruction can be executed again.
fn fault(address: usize) -> bool {
    if !USED.load(Ordering::SeqCst) {
        return false;
    }
    if release_range(address, address + 1) {
        return true;
    }
    // Another thread may have released the page since; or the page is not watched, or the system does not
    // release it.
    let releases = RELEASES.load(Ordering::SeqCst);
    let last = UNEXPLAINED_FAULT.get();
    let same = last.address == address && last.releases == releases;
    let times = if same { last.times + 1 } else { 1 };
    UNEXPLAINED_FAULT.set(UnexplainedFault { address, releases, times });
    times < MAX_ATTEMPTS
}

fn protect(start: usize, end: usize, protection: i32) -> bool {
    // SAFETY: pages of the heap, which stay mapped. A write to a read-only one is handled by `fault`.
    unsafe { libc::mprotect(start as *mut _, end - start, protection) == 0 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Maps pages for one test, and prepares the thread for faults.
    pub(crate) fn pages(count: usize) -> usize {
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

    pub(crate) fn write(address: usize, value: u64) {
        // SAFETY: in pages of the test.
        unsafe { (address as *mut u64).write_volatile(value) };
    }

    fn read(address: usize) -> u64 {
        // SAFETY: in pages of the test.
        unsafe { (address as *const u64).read_volatile() }
    }

    #[test]
    fn first_write_marks_the_watch_changed_and_succeeds() {
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
    fn releasing_shared_pages_changes_all_their_watches() {
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
    fn pages_are_writable_after_their_last_watch() {
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
    fn fault_is_repeated_after_a_concurrent_release() {
        let start = pages(1);
        for _ in 0..4 * MAX_ATTEMPTS {
            drop(watch(start, start + PAGE).expect("a slot"));
            assert!(fault(start), "it was watched a moment ago");
        }
        // While other tests release pages it takes longer.
        assert!((0..1_000_000).any(|_| !fault(start)), "it is not watched");
    }

    #[test]
    fn unreleasable_fault_is_reported_after_the_maximum_of_attempts() {
        let start = pages(1);
        let watched = watch(start, start + PAGE).expect("a slot");
        // SAFETY: the test's own page, which nothing touches after this.
        unsafe { libc::munmap(start as *mut _, PAGE) };
        assert!((0..1_000_000).any(|_| !fault(start)));
        assert!(!watched.is_clean());
        std::mem::forget(watched);
    }

    #[test]
    fn system_call_is_repeated_when_pages_are_watched_again() {
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

    /// A write to pages that another thread is releasing raises no fault, and changes them all the same.
    #[test]
    fn writers_see_the_watch_changed() {
        let start = pages(1);
        let at_once = std::sync::Barrier::new(2);
        for round in 1..2000_u64 {
            let watched = watch(start, start + PAGE).expect("a slot");
            let write_and_check = |at| {
                at_once.wait();
                write(at, round);
                !watched.is_clean()
            };
            let noticed = std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    crate::base::signals::prepare_thread();
                    write_and_check(start + 8)
                });
                [write_and_check(start), other.join().expect("it ends")]
            });
            assert_eq!(noticed, [true; 2], "in round {round}");
        }
    }

    #[test]
    fn concurrent_writers_all_succeed() {
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
