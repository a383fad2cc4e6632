//! The stacks of coroutines: suspended ones hold references that no thread shows.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A coroutine's stack.
#[derive(Debug)]
pub(crate) struct StackRecord {
    /// Lowest address that may be used.
    pub low: usize,
    /// End.
    pub high: usize,
    /// Where the stack is while the coroutine is suspended; 0 while it runs or has nothing on it.
    suspended_at: AtomicUsize,
    /// The record made before this one.
    next: *const StackRecord,
}

// SAFETY: all but one field are constant.
unsafe impl Send for StackRecord {}
// SAFETY: all but one field are constant, and that one is atomic.
unsafe impl Sync for StackRecord {}

impl StackRecord {
    /// Notes that the coroutine runs.
    #[inline]
    pub(super) fn set_running(&self) {
        self.suspended_at.store(0, Ordering::SeqCst);
    }

    /// Whether the coroutine is suspended.
    pub(crate) fn is_suspended(&self) -> bool {
        self.suspended_at.load(Ordering::Relaxed) != 0
    }
}

/// All records, last first. They are never freed, so that the collector needs no lock.
static ALL: AtomicPtr<StackRecord> = AtomicPtr::new(std::ptr::null_mut());

/// Registers a stack for good: stacks are reused, not given back.
pub(crate) fn register_stack(low: usize, high: usize) -> &'static StackRecord {
    let record =
        Box::new(StackRecord { low, high, suspended_at: AtomicUsize::new(0), next: std::ptr::null() });
    let record = Box::leak(record);
    let mut first = ALL.load(Ordering::Acquire);
    loop {
        record.next = first;
        match ALL.compare_exchange(first, record, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return record,
            Err(other) => first = other,
        }
    }
}

/// Says where the coroutine's stack is; called in a critical section just before it is left.
pub(crate) fn set_suspended(record: &StackRecord, at: usize) {
    record.suspended_at.store(at, Ordering::SeqCst);
}

/// Calls `scan` with the used part of each suspended stack; all threads are stopped.
pub(crate) fn each_suspended(mut scan: impl FnMut(usize, usize)) {
    /// Bytes that the switch itself pushes below the noted address.
    const SWITCH_FRAME: usize = 1024;
    let mut next: *const StackRecord = ALL.load(Ordering::Acquire);
    // SAFETY: null, or a record, which lives for ever.
    while let Some(record) = unsafe { next.as_ref() } {
        next = record.next;
        let at = record.suspended_at.load(Ordering::SeqCst);
        if at != 0 {
            scan(at.saturating_sub(SWITCH_FRAME).max(record.low), record.high);
        }
    }
}

/// Clears the part of the stack below the caller, where ended calls left references. Stacks are scanned as
/// they are, and the frames of calls to come do not write all that they cover: what is left there would keep
/// objects alive, perhaps for good. As much is cleared as calls mostly take down to where they allocate
/// (Boehm, "Space efficient conservative garbage collection", PLDI 1993).
#[inline(never)]
pub(crate) fn forget_ended_calls() {
    const BYTES: usize = 8 << 10;
    let mut below = MaybeUninit::<[u8; BYTES]>::uninit();
    // SAFETY: this function's own frame.
    unsafe { below.as_mut_ptr().write_bytes(0, 1) };
    std::hint::black_box(&below);
}
