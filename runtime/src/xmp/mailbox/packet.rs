//! What nodes say to each other.

use serde::{Deserialize, Serialize};

use crate::serialize::Error;
use crate::xmp::segments::Request;

/// The construct in which a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Construct {
    /// `barrier`, and the implicit ones.
    Barrier,
    /// `bcast`
    Bcast,
    /// `reduction`, and the clause of a loop.
    Reduction,
    /// `reflect`
    Reflect,
    /// `reduce_shadow`
    ReduceShadow,
    /// `gmove`
    Gmove,
    /// An intrinsic function, such as `xmp_transpose`.
    Intrinsic,
}

impl Construct {
    pub(super) fn name(self) -> &'static str {
        match self {
            Construct::Barrier => "barrier",
            Construct::Bcast => "bcast",
            Construct::Reduction => "reduction",
            Construct::Reflect => "reflect",
            Construct::ReduceShadow => "reduce_shadow",
            Construct::Gmove => "gmove",
            Construct::Intrinsic => "an intrinsic function",
        }
    }
}

/// The operation in which a message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// Its construct.
    pub construct: Construct,
    /// What tells it from the others that were begun with `async`; 0 without.
    pub operation: u64,
}

impl From<Construct> for Context {
    fn from(construct: Construct) -> Context {
        Context { construct, operation: 0 }
    }
}

/// What is sent from one node to another; behind it is a payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::xmp) enum Packet {
    /// Elements of a construct.
    Data(Context),
    /// An access to memory of the receiver.
    Request(Request),
    /// The answer to the sender's request with that number; payload: what it reads.
    Reply(u64),
    /// The memory of the sender's request with that number has ended.
    Refused(u64),
    /// `post` with that tag.
    Post(i64),
    /// A node of `sync_images`.
    Sync,
    /// `main` of the sender has ended with a status.
    Leave(i32),
    /// To node 0: the sender has found an error, which node 0 reports: the words, and what to write instead.
    Error(String, Option<String>),
    /// From node 0: it has reported an error, and the program ends.
    Failed,
    /// From node 0: all nodes have left.
    End,
}

/// A packet, and what is behind it.
pub(super) fn decode(bytes: &[u8]) -> std::result::Result<(Packet, &[u8]), Error> {
    postcard::take_from_bytes(bytes)
        .map_err(|_| Error::Malformed { expected: "a message of a node", offset: 0 })
}
