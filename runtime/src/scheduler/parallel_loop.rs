//! Parallel loops of the runtime itself: blocks of a kernel's CPU form, distributed over the workers.

use std::sync::Arc;

use crate::base::sanitizer;
use crate::heap::Ref;
use crate::scheduler::parallel_job::{Body, Completion, ParallelJob};
use crate::scheduler::park::Event;
use crate::scheduler::pool;
use crate::scheduler::task::Task;

/// Chunks that each thread gets, roughly.
const CHUNKS_PER_THREAD: i64 = 4;

impl Completion for Event {
    fn signal(&self) {
        self.set();
    }
}

/// Runs `body` over `0..count` on all idle workers, and on this one. Returns the first exception, or null;
/// after an exception the rest may be left out. Nothing is allocated for an iteration.
pub fn parallel_for(count: i64, body: &(dyn Fn(i64, i64) -> Ref + Sync)) -> Ref {
    let threads = pool::worker_count().max(1) as i64;
    if count <= 1 || threads == 1 {
        return if count > 0 { body(0, count) } else { Ref::NULL };
    }
    // SAFETY: only the lifetime changes; the job is closed and empty before this function returns.
    let body =
        unsafe { std::mem::transmute::<*const (dyn Fn(i64, i64) -> Ref + Sync + '_), *const Body>(body) };
    let left = Arc::<Event>::default();
    let completion = Arc::clone(&left) as Arc<dyn Completion>;
    // SAFETY: this function waits below until no helper is inside.
    let job = Arc::new(unsafe { ParallelJob::new(count, CHUNKS_PER_THREAD * threads, body, completion) });
    sanitizer::release(job.start());
    for _ in 0..(threads - 1).min(count - 1) {
        pool::push(Task::Help(Arc::clone(&job)));
    }
    job.run();
    if job.close() {
        left.wait();
    }
    sanitizer::acquire(Arc::as_ptr(&job));
    job.take_exception()
}
