//! Two-sided messages between virtual ranks, and their collective operations (Stuart and Owens, *Message
//! Passing on Data-Parallel Architectures*, IPDPS 2009; the MPI standard, "Point-to-Point Communication" and
//! "Collective Communication").
//!
//! A *slot* is a rank of a [`group`]: an activity of a host place, or a block of a kernel. A [`request`] is a
//! call of a slot. The [`engine`] of a place matches sends and receives ([`matching`]) and gathers collective
//! operations ([`collective`]) of the slots that live there; a [`message::Transport`] carries messages to the
//! engines of other places. It never blocks: each request ends by a call of its continuation, so that
//! activities, blocks on CPUs, and a proxy of a device share one engine.

pub mod block_call;
pub mod collective;
pub mod engine;
pub mod group;
pub mod matching;
pub mod message;
pub mod reduction;
pub mod request;
pub mod timeout;
pub mod waits;

#[cfg(test)]
mod tests;
