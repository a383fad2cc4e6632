//! One-sided accesses to memory of other nodes ([`super::segments`]).

use super::error::{Result, XmpError};
use super::mailbox::{Mailbox, Packet};
use super::segments::{Request, encode_boxes};
use super::strided::{StridedBox, total_bytes};

pub(super) use super::segments::Atomic;

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

/// Reads sections of a node's memory, packed.
///
/// # Errors
/// The node has ended.
pub(super) fn read(mailbox: &Mailbox, from: u32, segment: u64, boxes: &[StridedBox]) -> Result<Vec<u8>> {
    let number = mailbox.new_number();
    mailbox.send_packet(from, &Packet::Request(Request::Read { segment, number }), &encode_boxes(boxes))?;
    let bytes = mailbox.wait_for_reply(from, number)?;
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
    segment: u64,
    boxes: &[StridedBox],
    elements: &[u8],
) -> Result<Write> {
    let number = mailbox.new_number();
    let mut payload = encode_boxes(boxes);
    payload.extend_from_slice(elements);
    mailbox.send_packet(to, &Packet::Request(Request::Write { segment, number }), &payload)?;
    Ok(Write { to, number })
}

/// Waits until a write has ended.
///
/// # Errors
/// The node has ended.
pub(super) fn finish_write(mailbox: &Mailbox, write: Write) -> Result<()> {
    mailbox.wait_for_reply(write.to, write.number).map(drop)
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
