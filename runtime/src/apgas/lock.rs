//! Locks of the program (`x10.util.concurrent.Lock`): an adaptive lock (as of Solaris). While the owner runs,
//! the lock is about to be free, and an activity that wants it spins; an activity that waits for an owner
//! that is suspended leaves its thread. A lock that is released is free: it is not handed to the activity
//! that waited longest, which does not run yet and would keep it from those that do (a lock convoy).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use crate::apgas::cancellation;
use crate::base::sanitizer;
use crate::scheduler::fiber::{self, Fiber};
use crate::scheduler::park::{Waker, block};

/// How long an activity spins for a lock whose owner runs, or seems to: its thread may have to wait for a
/// processor.
const SPIN_TIME: Duration = Duration::from_millis(2);

/// Who has a lock.
pub type Owner = crate::apgas::activity::Identity;

#[derive(Default)]
struct State {
    owner: Option<Owner>,
    /// The owner's fiber.
    fiber: Option<&'static Fiber>,
    /// How often the owner has taken it.
    depth: u32,
    /// Suspended activities that want it, in order.
    waiting: VecDeque<Waker>,
}

/// A lock that its owner may take again.
#[derive(Clone, Default)]
pub struct Lock(Arc<Mutex<State>>);

/// All locks: the handle of one is its index and one. None is ever removed.
static LOCKS: RwLock<Vec<Lock>> = RwLock::new(Vec::new());

/// A new lock.
pub fn make() -> i64 {
    let mut locks = LOCKS.write();
    locks.push(Lock::default());
    locks.len() as i64
}

/// The lock with that handle.
pub fn find(handle: i64) -> Option<Lock> {
    let index = usize::try_from(handle).ok()?.checked_sub(1)?;
    LOCKS.read().get(index).cloned()
}

/// Has all that wait for a lock try again: the jobs of some are cancelled.
pub fn wake_all() {
    for lock in LOCKS.read().iter() {
        let waiting = std::mem::take(&mut lock.0.lock().waiting);
        waiting.into_iter().for_each(Waker::wake);
    }
}

impl Lock {
    /// Takes it if it is free, or the caller's already.
    pub fn try_enter(&self, owner: Owner) -> bool {
        self.enter_or_owner(owner).is_ok()
    }

    /// The same; otherwise, the fiber of its owner.
    fn enter_or_owner(&self, owner: Owner) -> Result<(), Option<&'static Fiber>> {
        let mut state = self.0.lock();
        if state.owner.is_some_and(|it| it != owner) {
            return Err(state.fiber);
        }
        (state.owner, state.fiber) = (Some(owner), fiber::current());
        state.depth += 1;
        sanitizer::acquire(Arc::as_ptr(&self.0));
        Ok(())
    }

    /// How often the owner has taken it.
    pub fn hold_count(&self, owner: Owner) -> u32 {
        let state = self.0.lock();
        if state.owner == Some(owner) { state.depth } else { 0 }
    }

    /// Takes it; waits while another activity has it. False if the caller's job is cancelled while it waits.
    pub fn enter(&self, owner: Owner) -> bool {
        while !self.spin(owner) {
            let epoch = cancellation::activity_epoch();
            if cancellation::is_past(epoch) {
                return false;
            }
            let lock = self.clone();
            block(move |waker| {
                let mut state = lock.0.lock();
                // Under the lock: the next cancellation finds it there.
                if state.owner.is_some() && !cancellation::is_past(epoch) {
                    state.waiting.push_back(waker);
                } else {
                    drop(state);
                    waker.wake();
                }
            });
        }
        true
    }

    /// Tries to take it as long as its owner runs.
    fn spin(&self, owner: Owner) -> bool {
        /// Attempts that follow each other closely, before other threads may run between two.
        const CLOSE_ATTEMPTS: u32 = 6;
        let mut began = None;
        for attempt in 0.. {
            match self.enter_or_owner(owner) {
                Ok(()) => return true,
                Err(fiber) if fiber.is_none_or(|fiber| fiber.is_suspended()) => break,
                Err(_) if attempt < CLOSE_ATTEMPTS => (0..4 << attempt).for_each(|_| std::hint::spin_loop()),
                Err(_) if began.get_or_insert_with(Instant::now).elapsed() > SPIN_TIME => break,
                Err(_) => std::thread::yield_now(),
            }
        }
        false
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
        (state.owner, state.fiber) = (None, None);
        let next = state.waiting.pop_front();
        drop(state);
        next.into_iter().for_each(Waker::wake);
        true
    }
}
