//! Work-stealing deque of a worker: its owner pushes and pops at the bottom, thieves steal at the top (Chase
//! and Lev, *Dynamic Circular Work-Stealing Deque*, SPAA 2005). Sequentially consistent operations on both
//! ends replace the fences of Lê, Pop, Cohen and Zappa Nardelli (*Correct and Efficient Work-Stealing for
//! Weak Memory Models*, PPoPP 2013). The elements are pairs of words, which the collector scans: an activity
//! that has not begun consists of its closure and its finish, and needs no allocation.
//!
//! From a long queue a thief takes several pairs in one step. The owner pops without a change of the top
//! while the queue holds more pairs than one such step can take. When the queue becomes short, the owner
//! changes the tag of the top, so that every step that began while the queue was long fails.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;
use rustc_hash::FxHasher;

/// Two words.
pub(crate) type Pair = [usize; 2];

/// Circular array of pairs; its length is a power of two. Never freed: a thief may still read it.
#[repr(C)]
pub(super) struct Buffer {
    pub(super) slots: *const [AtomicUsize; 2],
    /// Mask that reduces an index to the position in the buffer.
    pub(super) mask: usize,
}

impl Buffer {
    fn new(size: usize) -> *mut Buffer {
        let slots: Box<[_]> = (0..size).map(|_| [AtomicUsize::new(0), AtomicUsize::new(0)]).collect();
        Box::into_raw(Box::new(Buffer { slots: Box::leak(slots).as_ptr(), mask: size - 1 }))
    }

    fn len(&self) -> usize {
        self.mask + 1
    }

    fn slot(&self, index: isize) -> &[AtomicUsize; 2] {
        // SAFETY: inside the buffer, which is never freed.
        unsafe { &*self.slots.add(index as usize & self.mask) }
    }

    fn read(&self, index: isize) -> Pair {
        self.slot(index).each_ref().map(|word| word.load(Ordering::Relaxed))
    }

    fn write(&self, index: isize, pair: Pair) {
        let [first, second] = self.slot(index);
        first.store(pair[0], Ordering::Relaxed);
        second.store(pair[1], Ordering::Relaxed);
    }
}

/// Result of a steal.
pub enum Stolen {
    /// The oldest pair. Further stolen pairs may be in the thief's own queue.
    Pair(Pair),
    /// The only pair of the queue. It was not taken, since its owner may be about to pop it.
    Alone(Pair),
    /// The queue is empty.
    Empty,
    /// Another thread has changed the queue: the caller may try again.
    Retry,
}

/// Maximum number of pairs that a thief takes in one step.
const MAX_STEAL: isize = 16;
/// Minimum length at which a queue becomes long: thieves may take several pairs in one step.
const LONG_LENGTH: isize = 4 * MAX_STEAL;
/// A long queue becomes short when it has fewer pairs than this.
const SHORT_LENGTH: isize = 2 * MAX_STEAL;

/// The oldest pair's index, and a tag.
#[derive(Clone, Copy)]
struct Top(u64);

impl Top {
    const TAG: u64 = 0xffff;

    fn index(self) -> isize {
        (self.0 >> 16) as isize
    }

    fn advanced(self, by: isize) -> Top {
        Top(self.0 + ((by as u64) << 16))
    }

    fn with_next_tag(self) -> Top {
        Top(self.0 & !Self::TAG | (self.0 + 1) & Self::TAG)
    }
}

/// State of the owner, which thieves do not write.
#[repr(C)]
pub(super) struct Owner {
    /// Cached index of the top; the real top may be higher.
    pub(super) top: AtomicIsize,
    /// Length, relative to the cached top, from which on the owner must read the real top.
    pub(super) room: AtomicIsize,
    /// Thieves may take several pairs in one step.
    pub(super) long: AtomicBool,
}

/// The queue. Generated code adds and takes its thread's own activities itself
/// ([`crate::scheduler::abi_layout`]).
#[repr(C)]
pub struct Deque {
    pub(super) top: CachePadded<AtomicU64>,
    pub(super) bottom: CachePadded<AtomicIsize>,
    pub(super) buffer: CachePadded<AtomicPtr<Buffer>>,
    pub(super) owner: CachePadded<Owner>,
}

impl Deque {
    /// Makes an empty deque.
    pub fn new() -> Deque {
        let owner = Owner {
            top: AtomicIsize::new(0),
            room: AtomicIsize::new(LONG_LENGTH - 1),
            long: AtomicBool::new(false),
        };
        Deque {
            top: CachePadded::new(AtomicU64::new(0)),
            bottom: CachePadded::new(AtomicIsize::new(0)),
            buffer: CachePadded::new(AtomicPtr::new(Buffer::new(256))),
            owner: CachePadded::new(owner),
        }
    }

    fn buffer(&self) -> &Buffer {
        // SAFETY: buffers are never freed.
        unsafe { &*self.buffer.load(Ordering::Acquire) }
    }

    fn top(&self) -> Top {
        Top(self.top.load(Ordering::SeqCst))
    }

    fn change_top(&self, from: Top, to: Top) -> bool {
        self.top.compare_exchange(from.0, to.0, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }

    /// Adds a pair; called by the owner only.
    #[inline]
    pub fn push(&self, pair: Pair) {
        let bottom = self.bottom.load(Ordering::Relaxed);
        // Thieves write the real top, so it is read only if needed: each read may be a cache miss.
        let length = bottom - self.owner.top.load(Ordering::Relaxed);
        if length >= self.owner.room.load(Ordering::Relaxed) {
            self.refresh_top(bottom);
        }
        self.buffer().write(bottom, pair);
        self.bottom.store(bottom + 1, Ordering::Release);
    }

    /// Ensures room for one more pair, and notes whether the queue will be long with it.
    #[cold]
    fn refresh_top(&self, bottom: isize) {
        let top = self.top().index();
        self.owner.top.store(top, Ordering::Relaxed);
        let mut room = self.buffer().len() as isize;
        if bottom - top >= room {
            self.grow(top, bottom);
            room *= 2;
        }
        let long = self.owner.long.load(Ordering::Relaxed) || bottom + 1 - top >= LONG_LENGTH;
        self.set_long(long, room);
    }

    fn set_long(&self, long: bool, room: isize) {
        self.owner.long.store(long, Ordering::Relaxed);
        self.owner.room.store(if long { room } else { LONG_LENGTH - 1 }, Ordering::Relaxed);
    }

    fn grow(&self, top: isize, bottom: isize) {
        let old = self.buffer();
        let new = Buffer::new(old.len() * 2);
        // SAFETY: just made, and never freed.
        let made = unsafe { &*new };
        for index in top..bottom {
            made.write(index, old.read(index));
        }
        self.buffer.store(new, Ordering::Release);
    }

    /// Takes the newest pair; called by the owner only.
    #[inline]
    pub fn pop(&self) -> Option<Pair> {
        let bottom = self.bottom.load(Ordering::Relaxed) - 1;
        if Top(self.top.load(Ordering::Relaxed)).index() > bottom {
            return None;
        }
        // The store to the bottom must be ordered before the load of the top. An exchange orders them as a
        // store and a fence would, and takes half the time.
        self.bottom.swap(bottom, Ordering::SeqCst);
        let mut top = self.top();
        if self.owner.long.load(Ordering::Relaxed) && bottom - top.index() < SHORT_LENGTH {
            top = self.become_short();
        }
        if top.index() > bottom {
            self.bottom.store(bottom + 1, Ordering::Release);
            return None;
        }
        let pair = self.buffer().read(bottom);
        if top.index() < bottom {
            return Some(pair);
        }
        // The last pair: the owner competes with thieves for it.
        let won = self.change_top(top, top.advanced(1));
        self.bottom.store(bottom + 1, Ordering::Release);
        won.then_some(pair)
    }

    /// Makes the queue short: from now on, no thief takes several pairs in one step. Returns the current top.
    #[cold]
    fn become_short(&self) -> Top {
        self.set_long(false, 0);
        loop {
            let top = self.top();
            if self.change_top(top, top.with_next_tag()) {
                return top.with_next_tag();
            }
        }
    }

    /// Reads the newest pair without taking it; called by the owner only. A thief may take the pair.
    pub fn newest(&self) -> Option<Pair> {
        let bottom = self.bottom.load(Ordering::Relaxed);
        let top = Top(self.top.load(Ordering::Relaxed)).index();
        (top < bottom).then(|| self.buffer().read(bottom - 1))
    }

    /// Takes the oldest pair, even if it is alone.
    pub fn steal_one(&self) -> Option<Pair> {
        loop {
            let top = self.top();
            if self.bottom.load(Ordering::SeqCst) <= top.index() {
                return None;
            }
            let pair = self.buffer().read(top.index());
            if self.change_top(top, top.advanced(1)) {
                return Some(pair);
            }
        }
    }

    /// The index of the oldest pair, the pair, and a hash of the bottom and the pairs near it; `None` if the
    /// queue is empty. Concurrent changes may be included or not.
    pub fn snapshot(&self) -> Option<(isize, Pair, u64)> {
        /// The newest pairs, and those above them, which the owner has taken: they show where in a
        /// recursion it is.
        const NEWEST: isize = 32;
        const TAKEN: isize = 4;
        let (top, bottom) = (self.top().index(), self.bottom.load(Ordering::Acquire));
        if bottom <= top {
            return None;
        }
        let buffer = self.buffer();
        let mut hasher = FxHasher::default();
        bottom.hash(&mut hasher);
        ((bottom - NEWEST).max(top)..bottom + TAKEN).for_each(|index| buffer.read(index).hash(&mut hasher));
        Some((top, buffer.read(top), hasher.finish()))
    }

    /// Takes the oldest pair. From a long queue, takes several pairs; the others go to the thief's own queue.
    /// The only pair of a queue is taken only if the thief has found the same pair there before.
    pub fn steal(&self, into: &Deque, found_before: Option<Pair>) -> Stolen {
        let top = self.top();
        let length = self.bottom.load(Ordering::SeqCst) - top.index();
        if length <= 0 {
            return Stolen::Empty;
        }
        let buffer = self.buffer();
        let read = |distance: isize| buffer.read(top.index() + distance);
        // The pair may be overwritten meanwhile, but then the top has moved, and the exchange fails.
        let first = read(0);
        if length == 1 && found_before != Some(first) {
            return Stolen::Alone(first);
        }
        let count = if length >= LONG_LENGTH { MAX_STEAL } else { 1 };
        let mut more = [[0; 2]; MAX_STEAL as usize];
        for distance in 1..count {
            more[distance as usize] = read(distance);
        }
        if !self.change_top(top, top.advanced(count)) {
            return Stolen::Retry;
        }
        more[1..count as usize].iter().for_each(|pair| into.push(*pair));
        Stolen::Pair(first)
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of pairs in the queue.
    pub fn len(&self) -> usize {
        let top = self.top().index();
        usize::try_from(self.bottom.load(Ordering::Acquire) - top).unwrap_or(0)
    }

    /// Visits the first word of all pairs, as roots of a collection, including those at both ends that are
    /// being added or taken; all threads are stopped.
    pub fn each_word(&self, visit: &mut dyn FnMut(usize)) {
        let (top, bottom) = (self.top().index(), self.bottom.load(Ordering::Relaxed));
        let buffer = self.buffer();
        let first = (top - MAX_STEAL).max(0);
        let last = (bottom + 1).min(first + buffer.len() as isize);
        for index in first..last.max(first) {
            visit(buffer.read(index)[0]);
        }
        // Pairs that were taken before this collection are visited once more, and then cleared. A thief that
        // is taking one has it on its stack, or will find that the top has moved. They are not cleared if the
        // owner may be about to use the slots again.
        if bottom < first + buffer.len() as isize {
            (first..top).for_each(|index| buffer.write(index, [0, 0]));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn the_owner_takes_the_newest_and_thieves_the_oldest() {
        let deque = Deque::new();
        (1..=1000).for_each(|i| deque.push([i, i]));
        assert_eq!(deque.len(), 1000);
        assert_eq!(deque.newest(), Some([1000, 1000]));
        assert_eq!(deque.pop(), Some([1000, 1000]));
        let thief = Deque::new();
        assert!(matches!(deque.steal(&thief, None), Stolen::Pair([1, 1])));
        assert_eq!(thief.newest(), Some([16, 16]));
        let mut words = 0;
        deque.each_word(&mut |_| words += 1);
        assert!((983..=1000).contains(&words), "{words}");
        // Those that were taken are seen once.
        let mut again = Vec::new();
        deque.each_word(&mut |word| again.push(word));
        assert!((17..1000).all(|word| again.contains(&word)) && !again.contains(&3), "{again:?}");
        (17..1000).rev().for_each(|i| assert_eq!(deque.pop(), Some([i, i])));
        assert!(deque.is_empty() && matches!(deque.steal(&thief, None), Stolen::Empty));
    }

    #[test]
    fn a_pair_alone_is_taken_at_the_second_look() {
        let (deque, thief) = (Deque::new(), Deque::new());
        deque.push([1, 1]);
        assert!(matches!(deque.steal(&thief, None), Stolen::Alone([1, 1])));
        assert!(matches!(deque.steal(&thief, Some([2, 2])), Stolen::Alone([1, 1])));
        assert!(matches!(deque.steal(&thief, Some([1, 1])), Stolen::Pair([1, 1])));
        deque.push([2, 2]);
        deque.push([3, 3]);
        assert!(matches!(deque.steal(&thief, None), Stolen::Pair([2, 2])));
        assert_eq!((deque.pop(), deque.pop()), (Some([3, 3]), None));
    }

    #[test]
    fn what_the_owner_does_changes_what_is_seen_of_the_queue() {
        let deque = Deque::new();
        assert!(deque.snapshot().is_none());
        (1..=3).for_each(|i| deque.push([i, i]));
        let (top, oldest, newest) = deque.snapshot().expect("not empty");
        assert_eq!((top, oldest), (0, [1, 1]));
        assert_eq!(deque.snapshot(), Some((top, oldest, newest)));
        // Another one in the stead of the newest; then that is taken.
        deque.pop();
        deque.push([4, 4]);
        let (.., other) = deque.snapshot().expect("not empty");
        deque.pop();
        let (.., taken) = deque.snapshot().expect("not empty");
        assert!(newest != other && other != taken && newest != taken);
        // A recursion deeper than the queue is long.
        deque.push([5, 5]);
        deque.pop();
        assert_ne!(deque.snapshot().expect("not empty").2, taken);
        assert_eq!(
            [deque.steal_one(), deque.steal_one(), deque.steal_one()],
            [Some([1, 1]), Some([2, 2]), None]
        );
    }

    /// Several thieves, and an owner that adds in waves so that the queue is long and short in turn.
    #[test]
    fn everything_is_taken_once() {
        const PAIRS: usize = 200_000;
        let (deque, taken, done) = (Deque::new(), AtomicUsize::new(0), AtomicBool::new(false));
        let take = |[a, b]: Pair| {
            assert_eq!(a, b);
            taken.fetch_add(a, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let (own, mut before) = (Deque::new(), None);
                    while !done.load(Ordering::Acquire) || !deque.is_empty() {
                        match deque.steal(&own, before) {
                            Stolen::Pair(pair) => take(pair),
                            Stolen::Alone(pair) => before = Some(pair),
                            Stolen::Empty | Stolen::Retry => {}
                        }
                        while let Some(pair) = own.pop() {
                            take(pair);
                        }
                    }
                });
            }
            for i in 1..=PAIRS {
                deque.push([i, i]);
                if i % 3 == 0
                    && let Some(pair) = deque.pop()
                {
                    take(pair);
                }
                if i % 1000 == 0 {
                    (0..i % 900).filter_map(|_| deque.pop()).for_each(take);
                }
            }
            while let Some(pair) = deque.pop() {
                take(pair);
            }
            done.store(true, Ordering::Release);
        });
        assert_eq!(taken.into_inner(), PAIRS * (PAIRS + 1) / 2);
    }
}
