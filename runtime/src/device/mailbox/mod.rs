//! Mailbox of a device: the path by which the blocks of a running kernel make calls of slots
//! ([`crate::slots`]).
//!
//! Blocks of one launch exchange messages in the memory of their device ([`table`]; `apg_slot_table.h`), and
//! those of devices that reach each other in the memory of both ([`peers`]; `apg_slot_peers.h`). What they do
//! not find there goes through the host: a block writes its request to host memory that the device knows,
//! rings a doorbell, and reads its answer there. Each word carries the number of the call beside it
//! ([`layout`]; `apg_mailbox.h`). A thread of the host, the [`proxy`], hands the requests to the engine of
//! the place, and whatever thread completes a call writes its answer. Elements travel by three paths: few of
//! them in the request and the answer, those that fit in the block's staging memory by its threads, others by
//! the device's copy engine ([`transfer`]), to another device directly. All memory is made before the kernel
//! starts ([`memory`]): an allocation may wait for running kernels.

#[cfg(test)]
mod activity_tests;
mod board;
mod calls;
mod device_memory;
mod layout;
mod memory;
mod peers;
mod proxy;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use memory::{Mailboxes, allocate_pinned};
pub use peers::{DeviceSlots, PeerChannels};
pub(crate) use session::Session;
