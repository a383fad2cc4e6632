//! Activities: a pool of threads that steal work from each other runs them on coroutines.
//!
//! A *fiber* is a coroutine that takes one piece of work after the other ([`fiber`]). While activities do not block,
//! all of a thread's run on one fiber, with no switch between them. One that blocks leaves its fiber suspended, stack and
//! all, and the thread goes on with another fiber ([`block`]); whoever ends the wait puts the fiber back among the work.

pub mod abi_layout;
mod admission;
mod compensation;
mod deque;
pub(crate) mod fiber;
pub mod parallel_loop;
pub mod park;
pub(crate) mod pool;
pub(crate) mod queues;
mod sleep;
pub(crate) mod stack;
pub mod stack_budget;
pub mod timer;

pub use pool::{
    Attention, External, Inbox, PATIENCE, attends, begin_to_attend, check_for_deadlock, default_threads,
    external, is_quiescent, look_at, max_worker_count, nothing_else_to_do, queue_length, start, wake_worker,
    worker_count, worker_number,
};
pub use stack::{RESERVE as STACK_RESERVE, SIZE as STACK};

use std::cell::Cell;

use crate::apgas::at::rpc::Call;

/// Where the caller's fiber, if it is on one, keeps what its activity waits with for an `at`.
pub fn kept_call() -> Option<&'static Cell<Option<&'static Call>>> {
    fiber::current().map(|fiber| &fiber.call)
}

/// Addresses of the stack that the caller's activity runs on.
pub fn current_stack() -> Option<(usize, usize)> {
    fiber::current().map(fiber::Fiber::stack)
}

#[cfg(test)]
mod tests;

/// What of the caller's activities is recorded, if the caller is one.
pub fn opened(use_it: impl FnOnce(&crate::profile::Opened)) {
    if let Some(fiber) = fiber::current() {
        use_it(&fiber.opened);
    }
}
