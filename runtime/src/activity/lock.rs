//! Locks of the program (`x10.util.concurrent.Lock`): an activity that waits for one leaves its thread.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxBuildHasher;

use super::block::{Waker, block};
use crate::sanitizer;

/// Who has a lock.
pub type Owner = super::Identity;

#[derive(Default)]
struct State {
    owner: Option<Owner>,
    /// How often the owner has taken it.
    depth: u32,
    waiting: VecDeque<(Owner, Waker)>,
}

/// A lock that its owner may take again.
#[derive(Clone, Default)]
pub struct Lock(Arc<Mutex<State>>);

struct Table {
    locks: HashMap<i64, Lock, FxBuildHasher>,
    last: i64,
}

static LOCKS: Mutex<Table> = Mutex::new(Table { locks: HashMap::with_hasher(FxBuildHasher), last: 0 });

/// A new lock.
pub fn make() -> i64 {
    let mut table = LOCKS.lock();
    table.last += 1;
    let handle = table.last;
    table.locks.insert(handle, Lock::default());
    handle
}

/// The lock with that handle.
pub fn find(handle: i64) -> Option<Lock> {
    LOCKS.lock().locks.get(&handle).cloned()
}

impl Lock {
    /// Takes it if it is free, or the caller's already.
    pub fn try_enter(&self, owner: Owner) -> bool {
        let mut state = self.0.lock();
        let free = state.owner.is_none() || state.owner == Some(owner);
        if free {
            state.owner = Some(owner);
            state.depth += 1;
            sanitizer::acquire(Arc::as_ptr(&self.0));
        }
        free
    }

    /// How often the owner has taken it.
    pub fn hold_count(&self, owner: Owner) -> u32 {
        let state = self.0.lock();
        if state.owner == Some(owner) { state.depth } else { 0 }
    }

    /// Takes it; waits while another activity has it.
    pub fn enter(&self, owner: Owner) {
        if self.try_enter(owner) {
            return;
        }
        let lock = self.clone();
        block(move |waker| {
            let mut state = lock.0.lock();
            if state.owner.is_none() {
                (state.owner, state.depth) = (Some(owner), 1);
                drop(state);
                waker.wake();
            } else {
                state.waiting.push_back((owner, waker));
            }
        });
        sanitizer::acquire(Arc::as_ptr(&self.0));
    }

    /// Releases it: false if the caller does not have it.
    pub fn exit(&self, owner: Owner) -> bool {
        let mut state = self.0.lock();
        if state.owner != Some(owner) {
            return false;
        }
        sanitizer::release(Arc::as_ptr(&self.0));
        state.depth -= 1;
        if state.depth > 0 {
            return true;
        }
        let next = state.waiting.pop_front();
        state.owner = next.as_ref().map(|(owner, _)| *owner);
        state.depth = u32::from(next.is_some());
        drop(state);
        if let Some((_, waker)) = next {
            waker.wake();
        }
        true
    }
}
