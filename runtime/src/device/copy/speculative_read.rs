//! Short reads of what a kernel has written, put on the device before they are asked for. Programs run a
//! kernel in a loop and read a few numbers after it; a read that is behind the kernel on its own stream has
//! arrived when the kernel is known to have ended. Else the program would tell the device a second time, and
//! wait a second time.
//!
//! That the program gets what the memory holds is known, never guessed: nothing else was being written to the
//! device as the kernel began, and nothing has been since. What is guessed is only that the read will be
//! asked for: it followed the last launches too.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::device::copy::copy_kernel::Fetch;
use crate::device::copy::request::Download;
use crate::device::copy::sync_copy::Pocket;
use crate::device::{Device, Done};

/// Longer reads take so long that a second wait does not matter.
const LONGEST: u64 = 64 << 10;
/// How many launches in a row must have been followed by the same read.
const USUAL: u32 = 2;
/// Reads that nobody asked for are tried again after so many launches at most, as a power of two.
const MOST_PATIENT: u32 = 12;

/// What is known of reads after kernels.
#[derive(Default)]
pub struct Readbacks {
    writes: Arc<Writes>,
    known: Mutex<Known<Pocket>>,
}

/// What has written, or writes, to a device's memory: kernels, and copies to it.
#[derive(Default)]
struct Writes {
    begun: AtomicU64,
    ended: AtomicU64,
}

/// Something that writes to a device's memory, until it is dropped.
pub struct Writing {
    writes: Arc<Writes>,
    number: u64,
}

impl Writing {
    /// Nothing else was at it as this began, unless more has begun since.
    fn is_alone(&self) -> bool {
        self.writes.ended.load(Ordering::SeqCst) == self.number - 1
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.writes.ended.fetch_add(1, Ordering::SeqCst);
    }
}

/// A kernel about to begin, as far as it concerns reads.
pub struct Reader {
    kernel: usize,
    number: u64,
    is_alone: bool,
    rails: Vec<Range<u64>>,
}

impl Reader {
    /// `kernel` tells kernels apart, `rails` are its global rails in an order of their own.
    pub fn new(kernel: usize, writing: &Writing, rails: impl Iterator<Item = Range<u64>>) -> Reader {
        Reader { kernel, number: writing.number, is_alone: writing.is_alone(), rails: rails.collect() }
    }
}

/// A read behind a kernel, on its way as long as the kernel is.
pub struct Ahead {
    number: u64,
    range: Range<u64>,
    pocket: Pocket,
}

impl Device {
    /// Something begins to write to the device's memory.
    pub(crate) fn writing(&self) -> Writing {
        let writes = Arc::clone(&self.readbacks.writes);
        let number = writes.begun.fetch_add(1, Ordering::SeqCst) + 1;
        Writing { writes, number }
    }

    /// `done` of something that writes to the device's memory, which begins now.
    pub(crate) fn writes(&self, done: Done) -> Done {
        crate::device::copy::sync_copy::keeping(self.writing(), done)
    }

    /// A kernel begins. If a read usually follows, that read and what puts it behind the kernel.
    pub(crate) fn read_ahead(self: &Arc<Self>, reader: Reader) -> Option<(Ahead, Fetch)> {
        if reader.rails.is_empty() {
            return None;
        }
        let number = reader.number;
        let range = self.readbacks.known.lock().launched(reader)?;
        let bytes = (range.end - range.start) as usize;
        let pocket = self.pocket_for(bytes)?;
        let fetch = self.fetch(range.start, pocket.address() as u64, bytes as u32)?;
        Some((Ahead { number, range, pocket }, fetch))
    }

    /// The kernel has ended.
    pub(crate) fn arrived(&self, ahead: Ahead) {
        self.readbacks.known.lock().arrived(ahead.number, ahead.range, ahead.pocket);
    }

    /// The program reads `piece`: it has it at once if it was read ahead, else `done` is given back.
    ///
    /// # Safety
    /// The target is valid, and this read's alone to write.
    pub(crate) unsafe fn foreseen(&self, piece: Download, done: Done) -> Option<Done> {
        let range = piece.source..piece.source + piece.bytes;
        if piece.bytes > LONGEST {
            return Some(done);
        }
        let pocket = {
            let mut known = self.readbacks.known.lock();
            known.asked(range, self.readbacks.writes.begun.load(Ordering::SeqCst))
        };
        let Some(pocket) = pocket else { return Some(done) };
        // SAFETY: the pocket holds so many bytes; the target is valid by the caller.
        unsafe { std::ptr::copy_nonoverlapping(pocket.address(), piece.target, piece.bytes as usize) };
        drop(pocket);
        done(Ok(()));
        None
    }

    /// Memory is going to be released: what was read of it is of no use any more.
    pub(crate) fn forget_reads(&self) {
        self.readbacks.known.lock().forget();
    }
}

/// What is known of reads after kernels; `E` is what has been read.
struct Known<E> {
    habits: HashMap<usize, Habit>,
    last: Option<Last<E>>,
}

impl<E> Default for Known<E> {
    fn default() -> Known<E> {
        Known { habits: HashMap::new(), last: None }
    }
}

/// A read, told by the global rail of the kernel that it reads: programs change rails between launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Read {
    rail: usize,
    offset: u64,
    bytes: u64,
}

/// What follows the launches of a kernel.
struct Habit {
    read: Read,
    /// How many in a row.
    times: u32,
    /// How often in a row it was foreseen in vain.
    failures: u32,
    /// Launches until it may be foreseen again.
    pause: u32,
}

/// The kernel that began last.
struct Last<E> {
    launch: Reader,
    was_read: bool,
    /// A read was to be put behind it, and nobody has asked for it.
    is_in_vain: bool,
    early: Option<(Range<u64>, E)>,
}

impl<E> Known<E> {
    /// A kernel begins. What should be read behind it.
    fn launched(&mut self, launch: Reader) -> Option<Range<u64>> {
        if let Some(last) = self.last.take()
            && let Some(habit) = self.habits.get_mut(&last.launch.kernel)
        {
            habit.passed(last.was_read, last.is_in_vain);
        }
        let range = self
            .habits
            .get_mut(&launch.kernel)
            .filter(|_| launch.is_alone)
            .and_then(|habit| habit.range(&launch.rails));
        self.last = Some(Last { launch, was_read: false, is_in_vain: range.is_some(), early: None });
        range
    }

    /// That was read behind the kernel that began as write `number`.
    fn arrived(&mut self, number: u64, range: Range<u64>, early: E) {
        if let Some(last) = self.last.as_mut().filter(|last| last.launch.number == number) {
            last.early = Some((range, early));
        }
    }

    /// The program reads that, when so many writes have begun.
    fn asked(&mut self, range: Range<u64>, begun: u64) -> Option<E> {
        let last = self.last.as_mut().filter(|last| last.launch.number == begun)?;
        if !last.was_read {
            // One of several reads: the first.
            last.was_read = true;
            let holds = |rail: &Range<u64>| rail.start <= range.start && range.end <= rail.end;
            if let Some(rail) = last.launch.rails.iter().position(holds) {
                let offset = range.start - last.launch.rails[rail].start;
                let read = Read { rail, offset, bytes: range.end - range.start };
                let habit = Habit { read, times: 0, failures: 0, pause: 0 };
                self.habits.entry(last.launch.kernel).or_insert(habit).followed_by(read);
            }
        }
        let (_, early) = last.early.take_if(|(early, _)| *early == range)?;
        last.is_in_vain = false;
        Some(early)
    }

    /// What was read is of no use any more.
    fn forget(&mut self) {
        if let Some(last) = &mut self.last {
            last.early = None;
        }
    }
}

impl Habit {
    /// Where to read behind a launch with these global rails.
    fn range(&mut self, rails: &[Range<u64>]) -> Option<Range<u64>> {
        if self.pause > 0 {
            self.pause -= 1;
            return None;
        }
        let rail = rails.get(self.read.rail).filter(|_| self.times >= USUAL)?;
        let start = rail.start + self.read.offset;
        Some(start..start + self.read.bytes).filter(|range| range.end <= rail.end)
    }

    fn followed_by(&mut self, read: Read) {
        self.times = if self.read == read { self.times.saturating_add(1) } else { 1 };
        self.read = read;
    }

    /// The next kernel begins; whether the program has read, and whether something was read in vain.
    fn passed(&mut self, was_read: bool, in_vain: bool) {
        if !was_read {
            self.times = 0;
        }
        if in_vain {
            self.times = 0;
            self.failures = (self.failures + 1).min(MOST_PATIENT);
            self.pause = 1 << self.failures;
        } else if was_read && self.times > USUAL {
            self.failures = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches kernel 7 as write `number` with two rails, the second at `at`; what is to be read behind it.
    fn launch(known: &mut Known<u64>, number: u64, at: u64) -> Option<Range<u64>> {
        let launch = Reader { kernel: 7, number, is_alone: true, rails: vec![0..1000, at..at + 100] };
        let range = known.launched(launch);
        if let Some(range) = &range {
            known.arrived(number, range.clone(), number);
        }
        range
    }

    #[test]
    fn a_read_that_follows_twice_is_foreseen_wherever_its_rail_is() {
        let mut known = Known::default();
        for (number, at) in [(1, 2000), (2, 3000)] {
            assert_eq!(launch(&mut known, number, at), None);
            assert_eq!(known.asked(at + 8..at + 24, number), None);
        }
        assert_eq!(launch(&mut known, 3, 5000), Some(5008..5024));
        assert_eq!(known.asked(5008..5024, 3), Some(3));
        // It has been given away.
        assert_eq!(known.asked(5008..5024, 3), None);
        assert_eq!(launch(&mut known, 4, 2000), Some(2008..2024));
        // Other reads before it, and a longer one from the same place.
        assert_eq!((known.asked(0..8, 4), known.asked(2008..2032, 4)), (None, None));
        assert_eq!(known.asked(2008..2024, 4), Some(4));
    }

    #[test]
    fn what_was_read_before_something_was_written_is_not_given_away() {
        let mut known = Known::default();
        for number in 1..=2 {
            launch(&mut known, number, 2000);
            known.asked(2000..2008, number);
        }
        assert_eq!(launch(&mut known, 3, 2000), Some(2000..2008));
        assert_eq!(known.asked(2000..2008, 4), None);
        // Another write was under way as the kernel began.
        let beside = Reader { kernel: 7, number: 5, is_alone: false, rails: vec![0..1000, 2000..2100] };
        assert_eq!(known.launched(beside), None);
        assert_eq!(known.asked(2000..2008, 5), None);
    }

    #[test]
    fn reads_in_vain_become_rare() {
        let mut known = Known::default();
        let mut foreseen = 0;
        for number in 1..=10_000 {
            foreseen += u64::from(launch(&mut known, number, 2000).is_some());
            // Every third launch another part is read.
            let offset = if number % 3 == 0 { 50 } else { 0 };
            known.asked(2000 + offset..2008 + offset, number);
        }
        assert!(foreseen < 30, "{foreseen}");
        // And a rail that has become shorter is not read past its end.
        let mut known = Known::default();
        for number in 1..=2 {
            launch(&mut known, number, 2000);
            known.asked(2092..2100, number);
        }
        let short = Reader { kernel: 7, number: 3, is_alone: true, rails: vec![0..1000, 2000..2096] };
        assert_eq!(known.launched(short), None);
    }

    #[test]
    fn writes_know_whether_they_are_alone() {
        let writes = Arc::new(Writes::default());
        let begin = || {
            let number = writes.begun.fetch_add(1, Ordering::SeqCst) + 1;
            Writing { writes: Arc::clone(&writes), number }
        };
        let first = begin();
        let second = begin();
        assert!(first.is_alone() && !second.is_alone());
        drop(first);
        drop(second);
        assert!(begin().is_alone());
    }
}
