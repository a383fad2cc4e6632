//! The stacks of coroutines: suspended ones hold references that no thread shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::threads;

/// A coroutine's stack.
#[derive(Debug)]
pub struct StackRecord {
    /// Lowest address that may be used.
    pub low: usize,
    /// End.
    pub high: usize,
    /// Where the stack is while the coroutine is suspended; 0 while it runs or has nothing on it.
    suspended_at: AtomicUsize,
}

static ALL: Mutex<Vec<Arc<StackRecord>>> = Mutex::new(Vec::new());

/// Registers a stack for good: stacks are reused, not given back.
pub fn register_stack(low: usize, high: usize) -> Arc<StackRecord> {
    let record = Arc::new(StackRecord { low, high, suspended_at: AtomicUsize::new(0) });
    let _critical = threads::critical();
    ALL.lock().push(Arc::clone(&record));
    record
}

/// Says that the coroutine runs in this thread now, or (`None`) that the thread is back on its own stack.
pub fn set_running(record: Option<&Arc<StackRecord>>) {
    let pointer = record.map_or(std::ptr::null_mut(), |record| Arc::as_ptr(record).cast_mut());
    if let Some(record) = record {
        record.suspended_at.store(0, Ordering::SeqCst);
    }
    threads::current().coroutine.store(pointer, Ordering::SeqCst);
}

/// Says where the coroutine's stack is; called in a critical section just before it is left.
pub fn set_suspended(record: &StackRecord, at: usize) {
    record.suspended_at.store(at, Ordering::SeqCst);
}

/// Calls `scan` with the used part of each suspended stack; all threads are stopped.
pub fn each_suspended(mut scan: impl FnMut(usize, usize)) {
    /// What the switch itself pushes below the place that was noted.
    const BELOW: usize = 1024;
    for record in ALL.lock().iter() {
        let at = record.suspended_at.load(Ordering::SeqCst);
        if at != 0 {
            scan(at.saturating_sub(BELOW).max(record.low), record.high);
        }
    }
}
