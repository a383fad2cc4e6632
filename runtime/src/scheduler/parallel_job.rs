//! A parallel loop in progress: iterations that workers claim in chunks of decreasing length, as in guided
//! self-scheduling (Polychronopoulos and Kuck, IEEE Transactions on Computers 1987).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::base::sanitizer;
use crate::heap::{Handle, Ref};

/// A loop body: runs the iterations `first..last` and returns an exception or null.
pub(super) type Body = dyn Fn(i64, i64) -> Ref + Sync;

/// Something that can be signalled once.
pub(super) trait Completion: Send + Sync {
    /// Ends the wait.
    fn signal(&self);
}

/// A loop in progress.
pub struct ParallelJob {
    next: AtomicI64,
    end: i64,
    /// A chunk is the remaining iterations divided by this.
    divisor: i64,
    /// The caller's; valid until no helper is active.
    body: *const Body,
    /// Helpers inside, and [`CLOSED`].
    helpers: AtomicUsize,
    /// Signalled when the last helper of a closed job has left.
    left: Arc<dyn Completion>,
    exception: Mutex<Option<Handle>>,
}

/// No helper may begin.
const CLOSED: usize = 1 << 32;

// SAFETY: the body may be called by many threads, and outlives its calls: the caller closes the job before it
// returns.
unsafe impl Send for ParallelJob {}
// SAFETY: the body is `Sync`, and all other fields are.
unsafe impl Sync for ParallelJob {}

impl ParallelJob {
    /// A loop over `0..end`.
    ///
    /// # Safety
    /// The body is valid until [`ParallelJob::close`] has returned false, or `left` was signalled after that.
    pub(super) unsafe fn new(
        end: i64,
        divisor: i64,
        body: *const Body,
        left: Arc<dyn Completion>,
    ) -> ParallelJob {
        ParallelJob {
            next: AtomicI64::new(0),
            end,
            divisor,
            body,
            helpers: AtomicUsize::new(0),
            left,
            exception: Mutex::new(None),
        }
    }

    /// Takes part, unless the loop has ended.
    pub fn help(&self) {
        let before = self.helpers.fetch_add(1, Ordering::AcqRel);
        if before & CLOSED == 0 {
            sanitizer::acquire(self.start());
            self.run();
            sanitizer::release(self);
        }
        if self.helpers.fetch_sub(1, Ordering::AcqRel) == CLOSED + 1 {
            self.left.signal();
        }
    }

    /// What orders the caller before its helpers; the job itself orders them before the caller's end.
    pub(super) fn start(&self) -> *const AtomicI64 {
        &raw const self.next
    }

    /// The next chunk. The first ones are long, so that neighbours, which mostly use the same memory, are
    /// done by one thread, and the last ones short, so that all threads end together.
    fn take_chunk(&self) -> Option<(i64, i64)> {
        let length = |first: i64| ((self.end - first) / self.divisor).max(1);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |first| {
            (first < self.end).then(|| first + length(first))
        });
        taken.ok().map(|first| (first, first + length(first)))
    }

    /// Runs chunks until none is left.
    pub(super) fn run(&self) {
        // SAFETY: the caller of the loop waits for this thread.
        let body = unsafe { &*self.body };
        while let Some((first, last)) = self.take_chunk() {
            let exception = body(first, last);
            if !exception.is_null() {
                self.next.store(self.end, Ordering::Relaxed);
                let handle = Handle::new(exception);
                self.exception.lock().get_or_insert(handle);
                return;
            }
        }
    }

    /// No helper may begin from now on. Whether some are still inside.
    pub(super) fn close(&self) -> bool {
        self.helpers.fetch_add(CLOSED, Ordering::AcqRel) > 0
    }

    /// The first exception, or null.
    pub(super) fn take_exception(&self) -> Ref {
        self.exception.lock().take().map_or(Ref::NULL, |handle| handle.get())
    }
}
