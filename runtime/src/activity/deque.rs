//! A thread's own queue: its owner adds and takes at one end, others steal at the other (Chase and Lev; what Lê,
//! Pop, Cohen and Zappa Nardelli order by fences is ordered by sequentially consistent operations on both ends). What waits in it are pairs of words, which the collector reads: an activity that has not begun
//! is its closure and its finish, and nothing is allocated for it.

use std::sync::atomic::{AtomicIsize, AtomicPtr, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

/// Two words.
pub type Pair = [usize; 2];

/// Room for pairs; a power of two. Never freed: a thief may still read it.
struct Buffer {
    slots: Box<[[AtomicUsize; 2]]>,
}

impl Buffer {
    fn new(size: usize) -> *mut Buffer {
        let slots = (0..size).map(|_| [AtomicUsize::new(0), AtomicUsize::new(0)]).collect();
        Box::into_raw(Box::new(Buffer { slots }))
    }

    fn slot(&self, index: isize) -> &[AtomicUsize; 2] {
        &self.slots[index as usize & (self.slots.len() - 1)]
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

/// What a thief finds.
pub enum Stolen {
    /// This.
    Pair(Pair),
    /// Nothing.
    Empty,
    /// Somebody else was quicker.
    Retry,
}

/// The queue.
pub struct Deque {
    top: CachePadded<AtomicIsize>,
    bottom: CachePadded<AtomicIsize>,
    buffer: CachePadded<AtomicPtr<Buffer>>,
}

impl Deque {
    /// An empty one.
    pub fn new() -> Deque {
        Deque {
            top: CachePadded::new(AtomicIsize::new(0)),
            bottom: CachePadded::new(AtomicIsize::new(0)),
            buffer: CachePadded::new(AtomicPtr::new(Buffer::new(256))),
        }
    }

    fn buffer(&self) -> &Buffer {
        // SAFETY: buffers are never freed.
        unsafe { &*self.buffer.load(Ordering::Acquire) }
    }

    /// Adds a pair; its owner only.
    #[inline]
    pub fn push(&self, pair: Pair) {
        let bottom = self.bottom.load(Ordering::Relaxed);
        let top = self.top.load(Ordering::Acquire);
        let mut buffer = self.buffer();
        if bottom - top >= buffer.slots.len() as isize {
            buffer = self.grow(top, bottom);
        }
        buffer.write(bottom, pair);
        self.bottom.store(bottom + 1, Ordering::Release);
    }

    #[cold]
    fn grow(&self, top: isize, bottom: isize) -> &Buffer {
        let old = self.buffer();
        let new = Buffer::new(old.slots.len() * 2);
        // SAFETY: just made, and never freed.
        let made = unsafe { &*new };
        for index in top..bottom {
            made.write(index, old.read(index));
        }
        self.buffer.store(new, Ordering::Release);
        made
    }

    /// Takes the newest pair; its owner only.
    #[inline]
    pub fn pop(&self) -> Option<Pair> {
        let bottom = self.bottom.load(Ordering::Relaxed) - 1;
        if self.top.load(Ordering::Relaxed) > bottom {
            return None;
        }
        // A thief that sees this has to see the pairs below as well. An exchange orders as a fence would, and takes half the time.
        self.bottom.swap(bottom, Ordering::SeqCst);
        let top = self.top.load(Ordering::SeqCst);
        if top > bottom {
            self.bottom.store(bottom + 1, Ordering::Release);
            return None;
        }
        let pair = self.buffer().read(bottom);
        if top < bottom {
            return Some(pair);
        }
        // The last one: a thief may want it too.
        let won = self.top.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok();
        self.bottom.store(bottom + 1, Ordering::Release);
        won.then_some(pair)
    }

    /// The newest pair, which stays; its owner only. A thief may take it.
    pub fn newest(&self) -> Option<Pair> {
        let bottom = self.bottom.load(Ordering::Relaxed);
        (self.top.load(Ordering::Relaxed) < bottom).then(|| self.buffer().read(bottom - 1))
    }

    /// Takes the oldest pair.
    pub fn steal(&self) -> Stolen {
        let top = self.top.load(Ordering::SeqCst);
        if top >= self.bottom.load(Ordering::SeqCst) {
            return Stolen::Empty;
        }
        // Perhaps overwritten meanwhile, but then the top has moved.
        let pair = self.buffer().read(top);
        match self.top.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => Stolen::Pair(pair),
            Err(_) => Stolen::Retry,
        }
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.top.load(Ordering::Acquire) >= self.bottom.load(Ordering::Acquire)
    }

    /// Shows the collector all words in it, and those at its ends that are just being added or taken; all threads are stopped.
    pub fn each_word(&self, visit: &mut dyn FnMut(usize)) {
        let (top, bottom) = (self.top.load(Ordering::Relaxed), self.bottom.load(Ordering::Relaxed));
        let buffer = self.buffer();
        let last = (bottom + 1).min(top - 1 + buffer.slots.len() as isize);
        for index in (top - 1).max(0)..last.max(0) {
            visit(buffer.read(index)[0]);
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
        assert_eq!(deque.newest(), Some([1000, 1000]));
        assert_eq!(deque.pop(), Some([1000, 1000]));
        assert!(matches!(deque.steal(), Stolen::Pair([1, 1])));
        let mut words = 0;
        deque.each_word(&mut |_| words += 1);
        assert!((998..=1000).contains(&words), "{words}");
        while deque.pop().is_some() {}
        assert!(deque.is_empty() && matches!(deque.steal(), Stolen::Empty));
    }

    #[test]
    fn everything_is_taken_once() {
        const PAIRS: usize = 100_000;
        let (deque, taken, done) = (Deque::new(), AtomicUsize::new(0), AtomicBool::new(false));
        let take = |[a, b]: Pair| {
            assert_eq!(a, b);
            taken.fetch_add(a, Ordering::Relaxed);
        };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Acquire) || !deque.is_empty() {
                        if let Stolen::Pair(pair) = deque.steal() {
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
            }
            while let Some(pair) = deque.pop() {
                take(pair);
            }
            done.store(true, Ordering::Release);
        });
        assert_eq!(taken.into_inner(), PAIRS * (PAIRS + 1) / 2);
    }
}
