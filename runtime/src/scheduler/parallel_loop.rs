//! Parallel loops of the runtime itself: blocks of a kernel's CPU form spread over the threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::base::sanitizer;
use crate::heap::{Handle, Ref};
use crate::scheduler::park::Event;
use crate::scheduler::pool;
use crate::scheduler::queues::Task;

/// A loop body: runs the iterations `first..last` and returns an exception or null.
type Body = dyn Fn(i64, i64) -> Ref + Sync;

/// A loop in progress.
pub struct Job {
    next: AtomicI64,
    end: i64,
    /// One of this many parts of what is left is taken at once.
    parts: i64,
    /// The caller's; valid until no helper is active any more.
    body: *const Body,
    /// Helpers inside, and [`CLOSED`].
    helpers: AtomicUsize,
    left: Arc<Event>,
    exception: Mutex<Option<Handle>>,
}

/// No helper may begin any more.
const CLOSED: usize = 1 << 32;

// SAFETY: the body may be called by many threads, and outlives its calls; see `helpers`.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    /// Takes part, if the loop is still going on.
    pub fn help(&self) {
        let before = self.helpers.fetch_add(1, Ordering::AcqRel);
        if before & CLOSED == 0 {
            sanitizer::acquire(self.begin());
            self.run();
            sanitizer::release(self);
        }
        if self.helpers.fetch_sub(1, Ordering::AcqRel) == CLOSED + 1 {
            self.left.set();
        }
    }

    /// What orders the caller before its helpers; the job itself orders them before the caller's end.
    fn begin(&self) -> *const AtomicI64 {
        &raw const self.next
    }

    /// The next piece. The first ones are long, so that neighbours, which mostly use the same memory, are done by one thread, and the last ones
    /// short, so that all threads end together.
    fn take(&self) -> Option<(i64, i64)> {
        let piece = |first: i64| ((self.end - first) / self.parts).max(1);
        let taken = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |first| {
            (first < self.end).then(|| first + piece(first))
        });
        taken.ok().map(|first| (first, first + piece(first)))
    }

    fn run(&self) {
        // SAFETY: the caller waits for us.
        let body = unsafe { &*self.body };
        while let Some((first, last)) = self.take() {
            let exception = body(first, last);
            if !exception.is_null() {
                self.next.store(self.end, Ordering::Relaxed);
                let handle = Handle::new(exception);
                self.exception.lock().get_or_insert(handle);
                return;
            }
        }
    }
}

/// Runs `body` over `0..count` on all threads that have nothing better to do, and on this one. Returns the first
/// exception, or null; after an exception the rest may be left out. Nothing is allocated for an iteration.
pub fn parallel_for(count: i64, body: &(dyn Fn(i64, i64) -> Ref + Sync)) -> Ref {
    let threads = pool::worker_count().max(1) as i64;
    if count <= 1 || threads == 1 {
        return if count > 0 { body(0, count) } else { Ref::NULL };
    }
    // SAFETY: only the lifetime changes; the job is closed and empty before this function returns.
    let body =
        unsafe { std::mem::transmute::<*const (dyn Fn(i64, i64) -> Ref + Sync + '_), *const Body>(body) };
    let job = Arc::new(Job {
        next: AtomicI64::new(0),
        end: count,
        parts: 4 * threads,
        body,
        helpers: AtomicUsize::new(0),
        left: Arc::default(),
        exception: Mutex::new(None),
    });
    sanitizer::release(job.begin());
    for _ in 0..(threads - 1).min(count - 1) {
        pool::push(Task::Help(Arc::clone(&job)));
    }
    job.run();
    if job.helpers.fetch_add(CLOSED, Ordering::AcqRel) > 0 {
        job.left.wait();
    }
    sanitizer::acquire(Arc::as_ptr(&job));
    let exception = job.exception.lock().take();
    exception.map_or(Ref::NULL, |handle| handle.get())
}
