//! What a program does across places: `at`, `async at`, finish over activities elsewhere, references to
//! objects of other places, copies between rails, teams.
//!
//! # Finish
//! Every place counts its own activities. For a finish that has sent an activity to another place, its home
//! also keeps, for each place, how many activities were sent there less how many have ended there. A place
//! whose activities of that finish have all ended reports once what they sent and how many arrived
//! ([`finish::proxy`]), as one message; home adds it up and waits until all counts are zero. The cheap cases
//! follow by themselves: a finish that stays local sends nothing and has no table, an activity that sends
//! nothing on costs one small report, an SPMD finish one report a place, and an `at` whose body starts
//! nothing costs no report at all, since the activity that waits for it is counted already.
//!
//! Why it is right. A place reports everything up to a moment at which nothing of the finish runs there,
//! sends and ends together, and sends no report before the one of the moment before it. Suppose that home
//! sees only zeros while an activity is alive or a report is due. Then some activities have ended in a
//! report while the sends of theirs are not reported: take the one of them that ended first, and go up to
//! its first ancestor whose send is reported. Its own end is not (else so would be the send of its
//! descendant), so its place's count can be zero only if at that place another activity ended whose send is
//! not reported, and ended before this ancestor arrived, that is earlier than the first one: a
//! contradiction.

pub mod activity;
pub mod at;
pub mod atomic;
pub mod bootstrap;
pub mod cancellation;
pub mod clock;
pub mod deadlock;
pub mod device_wait;
pub mod dispatch;
pub mod distributed_gc;
pub mod engine;
pub mod failure;
pub mod finish;
#[cfg(test)]
mod fuzz;
pub mod local_engine;
pub mod lock;
pub(crate) mod marshal;
pub mod message;
mod observed_endpoint;
pub mod place_local;
pub(crate) mod protocol_state;
pub mod rail_copy;
pub(crate) mod slot_waits;
pub mod slots;
pub mod system;
pub mod team;
pub mod timer;
mod wake_cancelled;
pub mod worker_loop;

pub use crate::base::place::here;
pub use at::invoke::{async_at, async_at_on_clocks, async_at_uncounted, at, at_value, host_place};
pub use at::rpc::Call;
#[cfg(test)]
pub(crate) use dispatch::start;
pub(crate) use dispatch::start_of_program;
pub use dispatch::start_one_of_several;
pub use engine::{Engine, FinishScope, Waiter};
pub use finish::id::FinishId;
pub use finish::root::FinishRoot;
pub use rail_copy::{between, get, put};
pub use system::{System, device_exception, system};

#[cfg(test)]
mod tests;
