//! The scheduler: a pool of workers that steal work from each other (Blumofe and Leiserson, JACM 1999) and
//! run it on fibers.
//!
//! From below: [`deque`](mod@deque) and [`sleep`](mod@sleep), [`fiber`](mod@fiber) (a stackful coroutine),
//! [`task`](mod@task) and
//! [`queues`](mod@queues), [`pool`](mod@pool) (the workers), [`search`](mod@search) (what an idle worker
//! does), and [`park`] (how an activity waits). What an activity, a `finish` or a clock is, is known above,
//! in [`crate::apgas`].

pub mod abi_layout;
mod admission;
mod compensation;
mod contention;
pub(crate) mod deque;
pub(crate) mod fiber;
mod parallel_job;
pub mod parallel_loop;
pub mod park;
mod poll;
pub(crate) mod pool;
mod queues;
mod quiescence;
mod search;
mod sleep;
pub(crate) mod stack;
pub(crate) mod stack_budget;
pub mod stack_depth;
pub(crate) mod task;

pub use poll::{MessagePoller, PollGuard, PollPolicy, begin_polling, set_poller, spin_until};
pub use pool::{
    default_threads, handles_messages, has_nothing_else_to_do, max_worker_count, park_briefly, queue_length,
    start, wake_worker, worker_count, worker_number,
};
pub use quiescence::{ExternalEventGuard, is_quiescent, set_on_deadlock};
pub use search::{hint_work_soon, next_task};
pub use stack::{RESERVED_BYTES as STACK_RESERVE, STACK_BYTES};
