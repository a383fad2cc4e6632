//! What a node knows of the others: messages that have come, and receives that wait for them.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::packet::Context;
use crate::net::endpoint::PutTarget;
use crate::xmp::error::XmpError;
use crate::xmp::segments::Memory;

/// Where a receive wants its bytes.
#[derive(Debug)]
pub(super) enum Landing {
    Memory(PutTarget),
    Buffer,
}

/// The length of a receive that takes any.
pub(super) const ANY_LENGTH: usize = usize::MAX;

/// A receive that waits for the next message of a node.
#[derive(Debug)]
pub(super) struct Posted {
    pub(super) number: u64,
    pub(super) context: Context,
    pub(super) length: usize,
    pub(super) landing: Landing,
}

/// A put that is arriving from a node.
#[derive(Debug)]
pub(super) enum Arriving {
    /// Into the memory of a receive with that number.
    Posted(u64),
    /// Into a buffer.
    Buffer(Vec<u8>),
}

/// What has come from a node.
#[derive(Debug, Default)]
pub(super) struct Channel {
    /// Messages that no receive waits for.
    pub(super) unexpected: VecDeque<(Context, Vec<u8>)>,
    pub(super) posted: VecDeque<Posted>,
    pub(super) arriving: Option<Arriving>,
    pub(super) posts: VecDeque<i64>,
    pub(super) syncs: u64,
    /// The status with which its `main` has ended.
    pub(super) left: Option<i32>,
    /// Nothing comes from it any more.
    pub(super) is_down: bool,
    /// Nothing can be sent to it.
    pub(super) is_closed: bool,
}

/// What a node knows of the others, and what it waits for.
#[derive(Debug, Default)]
pub(in crate::xmp) struct State {
    pub(super) channels: Vec<Channel>,
    /// Receives and requests that have ended, by number, with their bytes unless these have landed.
    pub(super) ended: FxHashMap<u64, std::result::Result<Vec<u8>, XmpError>>,
    pub(super) next_number: u64,
    pub(in crate::xmp) memory: Memory,
    pub(super) failure: Option<XmpError>,
    /// Node 0 says that all nodes have left.
    pub(super) has_ended: bool,
}

impl State {
    /// The number of a new receive or request.
    pub(super) fn new_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// How a node has ended, if it has.
    pub(super) fn ended_node(&self, node: u32) -> Option<String> {
        let channel = &self.channels[node as usize];
        match (channel.left, channel.is_down) {
            (Some(status), _) => Some(format!("has ended with status {status}")),
            (None, true) => Some("has ended without a word".to_owned()),
            (None, false) => None,
        }
    }

    /// A receive takes a message.
    pub(super) fn complete(&mut self, from: u32, posted: Posted, sent: Context, bytes: Cow<'_, [u8]>) {
        let Posted { number, context: Context { construct, operation }, length, landing } = posted;
        let outcome = if sent.construct != construct {
            Err(XmpError::new(format!(
                "this node is in `{}`, and node {from} is in `{}`",
                construct.name(),
                sent.construct.name()
            ))
            .hint("all nodes of a set have to execute its constructs, in the same order"))
        } else if sent.operation != operation {
            Err(XmpError::new(format!(
                "this node waits for operations with `async` in another order than node {from}, in `{}`",
                construct.name()
            ))
            .hint("write `wait_async` in the same order on all nodes"))
        } else if length != ANY_LENGTH && bytes.len() != length {
            Err(XmpError::new(format!(
                "this node expects {length} bytes in `{}`, and node {from} sends {}",
                construct.name(),
                bytes.len()
            ))
            .hint("sections, widths and bounds have to be equal on all nodes"))
        } else if let Landing::Memory(target) = landing {
            // SAFETY: the memory of a receive that has not ended, and as long as that.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target.address, length) };
            Ok(Vec::new())
        } else {
            Ok(bytes.into_owned())
        };
        self.ended.insert(number, outcome);
    }
}
