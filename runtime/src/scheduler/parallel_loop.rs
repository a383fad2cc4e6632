//! Parallel loops of the runtime itself: blocks of a kernel's CPU form, distributed over the workers.

use crate::base::place;
use crate::heap::Ref;
use crate::scheduler::pool;

/// Runs `body` over `0..count` on all idle workers, and on this one. Returns the first exception, or null;
/// after an exception the rest may be left out. Nothing is allocated for an iteration.
pub fn parallel_for(count: i64, body: &(dyn Fn(i64, i64) -> Ref + Sync)) -> Ref {
    if count <= 1 || pool::worker_count() <= 1 {
        return if count > 0 { body(0, count) } else { Ref::NULL };
    }
    let queues = pool::queues();
    let place = place::current();
    let body = |first, last| {
        // A helper's thread may work for another place.
        let outer = place::replace_current(Some(place));
        let exception = body(first, last);
        place::replace_current(outer);
        exception
    };
    // SAFETY: the loop ends below.
    let Some(index) = (unsafe { queues.loops().begin(count, &raw const body) }) else {
        // Other loops occupy the workers.
        return body(0, count);
    };
    let own = pool::worker_number().unwrap_or(0);
    queues.notify_helpers(count as usize - 1);
    queues.loops().run(index, own);
    queues.loops().end(index)
}

/// Takes part in a parallel loop, unless it has ended.
pub fn help(index: usize) {
    let Some(worker) = pool::worker() else { return };
    let queues = pool::queues();
    queues.loops().help(index, worker.number, |more| queues.notify_helpers(more));
    worker.expects_loop.set(true);
}
