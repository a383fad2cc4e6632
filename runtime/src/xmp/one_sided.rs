//! One-sided accesses to memory of other nodes ([`super::segments`]).

use super::error::{Result, XmpError};
use super::mailbox::{Mailbox, Packet};
use super::segments::{REFUSED, Request, encode_boxes};
use super::strided::{StridedBox, total_bytes};

pub(super) use super::segments::Atomic;

/// What to do where an accelerator does not have a coarray.
const HOW_TO_MAP: &str =
    "write `#pragma acc declare create(...)` for the coarray, or `#pragma acc data` on all nodes";

/// Makes memory accessible to other nodes under a number that they know.
///
/// # Safety
/// The memory stays valid until [`withdraw`] or [`end`], and is written by nothing without the program's
/// order.
pub(super) unsafe fn publish(mailbox: &Mailbox, segment: u64, address: *mut u8, bytes: u64) {
    let replies = mailbox.state().memory.register(segment, address as usize, bytes);
    mailbox.send_replies(replies);
}

/// The memory is accessible no longer, until it is published again.
pub(super) fn withdraw(mailbox: &Mailbox, segment: u64) {
    mailbox.state().memory.forget(segment);
}

/// The memory has ended: accesses of other nodes are refused.
pub(super) fn end(mailbox: &Mailbox, segment: u64) {
    mailbox.state().memory.end(segment);
}

/// Memory of nodes: that under a number, or the copy of it on the accelerator.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemoteMemory {
    /// The number.
    pub(super) segment: u64,
    /// It is the copy.
    pub(super) on_device: bool,
}

/// Reads sections of a node's memory, packed.
///
/// # Errors
/// The node has ended, or its accelerator does not have them.
pub(super) fn read(mailbox: &Mailbox, from: u32, of: RemoteMemory, boxes: &[StridedBox]) -> Result<Vec<u8>> {
    let number = mailbox.new_number();
    let request = Request::Read { segment: of.segment, on_device: of.on_device, number };
    mailbox.send_packet(from, &Packet::Request(request), &encode_boxes(boxes))?;
    let mut bytes = mailbox.wait_for_reply(from, number)?;
    if of.on_device && bytes.pop() == Some(REFUSED) {
        let words = String::from_utf8_lossy(&bytes);
        return Err(XmpError::new(format!("node {from} does not read elements for this one: {words}"))
            .hint(HOW_TO_MAP));
    }
    match bytes.len() == total_bytes(boxes) {
        true => Ok(bytes),
        false => Err(XmpError::new(format!("node {from} answers with {} bytes", bytes.len()))),
    }
}

/// A write whose end is not known yet.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub(super) struct Write {
    to: u32,
    number: u64,
}

/// Begins to write packed elements to sections of a node's memory.
///
/// # Errors
/// The node has ended.
pub(super) fn begin_write(
    mailbox: &Mailbox,
    to: u32,
    of: RemoteMemory,
    boxes: &[StridedBox],
    elements: &[u8],
) -> Result<Write> {
    let number = mailbox.new_number();
    let mut payload = encode_boxes(boxes);
    payload.extend_from_slice(elements);
    let request = Request::Write { segment: of.segment, on_device: of.on_device, number };
    mailbox.send_packet(to, &Packet::Request(request), &payload)?;
    Ok(Write { to, number })
}

/// Waits until a write has ended.
///
/// # Errors
/// The node has ended, or its accelerator does not have the sections.
pub(super) fn finish_write(mailbox: &Mailbox, write: Write) -> Result<()> {
    let refusal = mailbox.wait_for_reply(write.to, write.number)?;
    match refusal.is_empty() {
        true => Ok(()),
        false => {
            let words = String::from_utf8_lossy(&refusal);
            Err(XmpError::new(format!("node {} does not write elements of this one: {words}", write.to))
                .hint(HOW_TO_MAP))
        }
    }
}

/// Executes an atomic operation on an int of a node: its former value.
///
/// # Errors
/// The node has ended.
pub(super) fn atomic(
    mailbox: &Mailbox,
    node: u32,
    (segment, offset): (u64, u64),
    operation: Atomic,
    value: i32,
    compare: i32,
) -> Result<i32> {
    let number = mailbox.new_number();
    let request = Request::Atomic { segment, offset, operation, value, compare, number };
    mailbox.send_packet(node, &Packet::Request(request), &[])?;
    let bytes = mailbox.wait_for_reply(node, number)?;
    let bytes = bytes
        .try_into()
        .map_err(|_| XmpError::new(format!("node {node} answers an atomic operation with no int")))?;
    Ok(i32::from_ne_bytes(bytes))
}

/// Takes a lock of a node, or gives it back.
///
/// # Errors
/// The node has ended; this node has the lock already, or does not have it.
pub(super) fn set_lock(
    mailbox: &Mailbox,
    node: u32,
    (segment, offset): (u64, u64),
    is_taken: bool,
) -> Result<()> {
    let number = mailbox.new_number();
    let request = match is_taken {
        true => Request::Lock { segment, offset, number },
        false => Request::Unlock { segment, offset, number },
    };
    mailbox.send_packet(node, &Packet::Request(request), &[])?;
    match (&mailbox.wait_for_reply(node, number)?[..], is_taken) {
        ([1], _) => Ok(()),
        (_, true) => {
            Err(XmpError::new("this node locks what it has locked already").hint("`unlock` it first"))
        }
        (_, false) => Err(XmpError::new("this node unlocks what it has not locked")),
    }
}
