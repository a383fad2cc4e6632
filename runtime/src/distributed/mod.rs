//! What a program does across places: `at`, `async at`, finish over activities elsewhere, references to objects of
//! other places, copies between rails, teams.
//!
//! # Finish
//! Every place counts its own activities. For a finish that has sent an activity to another place, its home also keeps, for each
//! place, how many activities were sent there less how many have ended there. A place whose activities of that finish have
//! all ended reports once what they sent and how many arrived ([`remote`]), as one message; home adds it up and waits until all
//! counts are zero. The cheap cases follow by themselves: a finish that stays local sends nothing and has no table, an
//! activity that sends nothing on costs one small report, an SPMD finish one report a place, and an `at` whose body starts
//! nothing costs no report at all, since the activity that waits for it is counted already.
//!
//! Why it is right. A place reports everything up to a moment at which nothing of the finish runs there, sends and ends
//! together. Suppose that home sees only zeros while an activity is alive or a report is due. Then some activities have ended in
//! a report while the sends of theirs are not reported: take the one of them that ended first, and go up to its first ancestor
//! whose send is reported. Its own end is not (else so would be the send of its descendant), so its place's count can be zero
//! only if at that place another activity ended whose send is not reported, and ended before this ancestor arrived, that is
//! earlier than the first one: a contradiction.

mod at;
mod calls;
pub(crate) mod clocks;
pub(crate) mod codec;
pub mod engine;
#[cfg(test)]
mod fuzz;
mod globals;
mod home;
mod inbox;
pub mod locals;
pub(crate) mod message;
mod received;
mod remote;
pub mod session;
mod system;
pub mod team;
mod transfer;

pub use at::{async_at, async_at_on_clocks, async_at_uncounted, at, at_value, host_place};
pub use calls::Call;
pub use engine::{Engine, Governor, Waiter};
pub use globals::{ask_for_collections, hosts, tell_collected, tell_homes};
pub use home::HomeFinish;
pub use system::{System, device_exception, start, system};
pub use transfer::{between, get, put};

use std::sync::atomic::{AtomicU32, Ordering};

/// A finish, as all places know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FinishId {
    /// The host place where its body runs.
    pub home: u32,
    /// Its number there.
    pub number: u64,
}

/// The number of this process's place.
static HERE: AtomicU32 = AtomicU32::new(0);

/// The number of this process's place.
pub fn here() -> u32 {
    HERE.load(Ordering::Relaxed)
}

impl FinishId {
    /// No finish: nobody waits.
    pub const NONE: FinishId = FinishId { home: u32::MAX, number: 0 };
}
