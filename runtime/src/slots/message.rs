//! Messages between the engines of places: envelopes with their elements if they are few (eager protocol),
//! otherwise fetched when a receive has taken the envelope (rendezvous protocol); acknowledgements; parts of
//! collective operations.

use serde::{Deserialize, Serialize};

use super::collective::Terms;
use super::group::Subgroup;

/// Most bytes that travel with their envelope.
pub const MAX_EAGER_BYTES: usize = 8 << 10;

/// From one engine to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlotMessage {
    /// A send; payload: its elements if they are few.
    Envelope(Envelope),
    /// To the sender: requests the elements of a send, for a transfer of the requester with that number.
    Pull {
        /// The sender's number of the send.
        number: u64,
        /// The requester's number of the transfer.
        into: u64,
    },
    /// The elements of a send, for the receiver's transfer with that number; payload: the elements.
    Data(u64),
    /// To the sender: a receive has taken the send with that number.
    Taken(u64),
    /// To the host of a subgroup's first slot: all slots of a place have arrived; payload: their inputs.
    Collect(Collected),
    /// The end of a collective operation; payload: the results of the receiver's slots.
    Result {
        /// The group.
        group: i64,
        /// The slots.
        subgroup: Subgroup,
    },
    /// A call of a slot has failed, and with it its group.
    Failed {
        /// The group.
        group: i64,
        /// Why.
        message: String,
    },
}

/// A send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// The group.
    pub group: i64,
    /// Rank of the sender.
    pub source: u32,
    /// Rank of the receiver.
    pub target: u32,
    /// The tag.
    pub tag: i32,
    /// How many sends of this pair of slots were before it.
    pub sequence: u64,
    /// Number of elements.
    pub elements: u64,
    /// Bytes of an element; 0 for encoded objects.
    pub element_bytes: u32,
    /// Bytes of all elements.
    pub bytes: u64,
    /// The sender's number of the send.
    pub number: u64,
}

impl Envelope {
    /// Whether the elements follow the envelope.
    pub fn is_eager(&self) -> bool {
        is_eager(self.bytes)
    }
}

/// Whether the elements of a message of that many bytes follow their envelope.
pub fn is_eager(bytes: u64) -> bool {
    bytes <= MAX_EAGER_BYTES as u64
}

/// All slots of a place have arrived at a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// The group.
    pub group: i64,
    /// The slots.
    pub subgroup: Subgroup,
    /// What they agree on.
    pub terms: Terms,
    /// The rank that has arrived first.
    pub opened_by: u32,
}

/// Carries messages to the engines of other host places.
pub trait Transport {
    /// Sends a message and its payload; the messages to one place may arrive in any order.
    fn send(&self, host: u32, message: &SlotMessage, payload: &[u8]);
}
