//! Assembly of frames from the pieces in which a stream delivers them: a state machine, so that one thread
//! reads from many streams and no slow or silent one blocks the others.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::place::PlaceId;
use crate::heap::Handle;
use crate::net::device_memory::DeviceMemory;
use crate::net::endpoint::{PutTarget, Receiver};
use crate::net::frame::encoding;
use crate::net::frame::encoding::{FRAME_HEAD_SIZE, FrameHead, FrameKind};
use crate::serialize::out_of_band::Received;

/// Memory that is allocated before the bytes have arrived.
const MAX_PREALLOCATION: u64 = 1 << 20;
/// Runs of at least this size are read directly into their target.
const MIN_DIRECT_READ_SIZE: usize = 32 << 10;

/// A frame that is arriving.
pub(crate) struct Assembly {
    stage: Stage,
    pending: PendingBytes,
    /// Bodies of puts may come in messages of their own ([`FrameHead::zero_copy`]).
    takes_separate_bodies: bool,
}

/// What arrives next.
enum Stage {
    FrameHead,
    Header(FrameHead),
    Body(Table),
    Part { body: Vec<u8>, table: Table, done: Vec<Received>, object: Option<Handle> },
    Put { header: Vec<u8>, accepted: bool },
}

/// Remaining parts of a message, in order: type, length, bytes.
type Table = std::vec::IntoIter<[u64; 3]>;

/// Target of the arriving bytes.
struct PendingBytes {
    target: Target,
    left: u64,
}

enum Target {
    Bytes(Vec<u8>),
    /// Memory of the receiver, and the number of bytes written.
    Memory(PutTarget, usize),
    /// Memory of an accelerator, and the number of bytes written.
    Device(DeviceMemory, u64),
    Discard,
}

/// Sender and receiver of frames.
#[derive(Clone, Copy)]
pub(crate) struct Delivery<'a> {
    /// The place that sends.
    pub from: PlaceId,
    /// The receiver of messages and puts.
    pub receiver: &'a dyn Receiver,
    /// Set when the place shuts down.
    pub left: &'a AtomicBool,
}

fn malformed(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

impl PendingBytes {
    fn bytes(length: u64) -> PendingBytes {
        PendingBytes { target: Target::Bytes(Vec::new()), left: length }
    }

    fn memory(target: PutTarget) -> PendingBytes {
        PendingBytes { left: target.length, target: Target::Memory(target, 0) }
    }

    /// Consumes from `input` what belongs to it.
    fn take(&mut self, input: &mut &[u8]) -> io::Result<()> {
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(input.len());
        let (taken, rest) = input.split_at(count);
        match &mut self.target {
            Target::Bytes(bytes) => {
                let reserved = self.left.min(MAX_PREALLOCATION).max(count as u64) as usize;
                bytes.try_reserve(reserved).map_err(|_| io::ErrorKind::OutOfMemory)?;
                bytes.extend_from_slice(taken);
            }
            Target::Memory(target, written) => {
                // SAFETY: the receiver gave out this memory until the frame has arrived; `left` bytes behind
                // `written` are in it.
                unsafe { target.address.add(*written).copy_from_nonoverlapping(taken.as_ptr(), count) };
                *written += count;
            }
            Target::Device(..) if count > 0 => {
                return Err(malformed("a put to an accelerator whose body comes in the stream"));
            }
            Target::Device(..) | Target::Discard => {}
        }
        self.left -= count as u64;
        *input = rest;
        Ok(())
    }

    fn into_bytes(self) -> Vec<u8> {
        match self.target {
            Target::Bytes(bytes) => bytes,
            Target::Memory(..) | Target::Device(..) | Target::Discard => Vec::new(),
        }
    }
}

impl Default for Assembly {
    fn default() -> Assembly {
        let pending = PendingBytes::bytes(FRAME_HEAD_SIZE as u64);
        Assembly { stage: Stage::FrameHead, pending, takes_separate_bodies: false }
    }
}

impl Assembly {
    /// Of a transport that sends bodies of puts in messages of their own.
    pub(crate) fn with_separate_bodies() -> Assembly {
        Assembly { takes_separate_bodies: true, ..Assembly::default() }
    }

    /// Whether no part of a frame has arrived.
    pub(crate) fn is_between_frames(&self) -> bool {
        matches!(self.stage, Stage::FrameHead) && self.pending.left == FRAME_HEAD_SIZE as u64
    }

    /// Target of the next bytes, if there are many: a caller that fills some of it then calls
    /// [`Assembly::filled`].
    pub(crate) fn direct(&mut self) -> Option<&mut [u8]> {
        let Target::Memory(target, written) = &self.pending.target else { return None };
        let left = usize::try_from(self.pending.left).ok().filter(|left| *left >= MIN_DIRECT_READ_SIZE)?;
        // SAFETY: the receiver gave out this memory until the frame has arrived.
        Some(unsafe { std::slice::from_raw_parts_mut(target.address.add(*written), left) })
    }

    /// Target of the next bytes if it is memory of an accelerator, which is filled as [`Assembly::direct`].
    pub(crate) fn device(&self) -> Option<DeviceMemory> {
        let Target::Device(memory, written) = &self.pending.target else { return None };
        let (address, context) = (memory.address + written, Arc::clone(&memory.context));
        Some(DeviceMemory { address, length: self.pending.left, context })
    }

    /// `count` bytes of [`Assembly::direct`] or [`Assembly::device`] have been filled.
    pub(crate) fn filled(&mut self, count: usize, delivery: Delivery<'_>) -> io::Result<()> {
        match &mut self.pending.target {
            Target::Memory(_, written) => *written += count,
            Target::Device(_, written) => *written += count as u64,
            Target::Bytes(_) | Target::Discard => return self.feed(&[], delivery),
        }
        self.pending.left -= count as u64;
        self.feed(&[], delivery)
    }

    /// Nothing more arrives: the receiver may release the memory of a put that is not complete.
    pub(crate) fn abandon(&mut self, from: PlaceId, receiver: &dyn Receiver) {
        // The memory is not written from here on.
        let Assembly { stage, .. } = std::mem::take(self);
        if let Stage::Put { header, .. } = stage {
            receiver.abandon_put(from, &header);
        }
    }

    /// Consumes what has arrived, and delivers what is complete.
    pub(crate) fn feed(&mut self, mut input: &[u8], delivery: Delivery<'_>) -> io::Result<()> {
        loop {
            self.deliver_whole_messages(&mut input, delivery)?;
            self.pending.take(&mut input)?;
            if self.pending.left > 0 {
                return Ok(());
            }
            self.advance(delivery)?;
        }
    }

    /// Delivers the messages without parts that `input` begins with and has whole: they are not copied.
    fn deliver_whole_messages(&mut self, input: &mut &[u8], delivery: Delivery<'_>) -> io::Result<()> {
        while self.is_between_frames()
            && let Some((head, rest)) = input.split_first_chunk::<FRAME_HEAD_SIZE>()
        {
            let head = FrameHead::decode(*head)?;
            let is_bare = head.class == FrameKind::Message && head.header == 0 && !head.zero_copy;
            let body = usize::try_from(head.body).ok().filter(|_| is_bare);
            let Some((body, rest)) = body.and_then(|length| rest.split_at_checked(length)) else { break };
            *input = rest;
            delivery.receiver.message(delivery.from, Cow::Borrowed(body), Vec::new())?;
        }
        Ok(())
    }

    /// Continues after a complete pending.
    fn advance(&mut self, delivery: Delivery<'_>) -> io::Result<()> {
        let pending = std::mem::replace(&mut self.pending, PendingBytes::bytes(FRAME_HEAD_SIZE as u64));
        match std::mem::replace(&mut self.stage, Stage::FrameHead) {
            Stage::FrameHead => {
                let bytes = pending.into_bytes().try_into().map_err(|_| malformed("not a head"))?;
                self.begin(FrameHead::decode(bytes)?, delivery)
            }
            Stage::Header(head) if head.class == FrameKind::Put => {
                self.begin_put(head, pending.into_bytes(), delivery)
            }
            Stage::Header(head) => self.begin_body(head, encoding::parts(&pending.into_bytes())?),
            Stage::Body(table) => self.next_part(pending.into_bytes(), table, Vec::new(), delivery),
            Stage::Part { body, table, mut done, object } => {
                done.push(match object {
                    Some(object) => Received::Object(object),
                    None => Received::Bytes(pending.into_bytes()),
                });
                self.next_part(body, table, done, delivery)
            }
            Stage::Put { header, accepted } => {
                delivery.receiver.end_put(delivery.from, header, accepted)?;
                Ok(())
            }
        }
    }

    fn begin(&mut self, head: FrameHead, delivery: Delivery<'_>) -> io::Result<()> {
        match head.class {
            class if head.zero_copy && !(self.takes_separate_bodies && class == FrameKind::Put) => {
                Err(malformed("a frame that lends memory, over a connection"))
            }
            FrameKind::Message if head.header == 0 => self.begin_body(head, Vec::new()),
            FrameKind::Message | FrameKind::Put => {
                self.stage = Stage::Header(head);
                self.pending = PendingBytes::bytes(head.header.into());
                Ok(())
            }
            FrameKind::Shutdown => {
                delivery.left.store(true, Ordering::Release);
                Ok(())
            }
            FrameKind::Heartbeat => Ok(()),
        }
    }

    /// Asks the receiver where the body of a put goes.
    fn begin_put(&mut self, head: FrameHead, header: Vec<u8>, delivery: Delivery<'_>) -> io::Result<()> {
        let Delivery { from, receiver, .. } = delivery;
        let device = match head.zero_copy {
            true => receiver.begin_device_put(from, &header, head.body)?,
            false => None,
        };
        let target = match device {
            Some(memory) => Some(Target::Device(memory, 0)),
            None => receiver
                .begin_put(from, &header, head.body)?
                .filter(|target| target.length == head.body)
                .map(|target| Target::Memory(target, 0)),
        };
        let accepted = target.is_some();
        self.pending = PendingBytes { target: target.unwrap_or(Target::Discard), left: head.body };
        self.stage = Stage::Put { header, accepted };
        Ok(())
    }

    fn begin_body(&mut self, head: FrameHead, table: Vec<[u64; 3]>) -> io::Result<()> {
        self.pending = PendingBytes::bytes(encoding::bytes_without_parts(&head, &table)?);
        self.stage = Stage::Body(table.into_iter());
        Ok(())
    }

    /// Begins the next part, or delivers the message.
    fn next_part(
        &mut self,
        body: Vec<u8>,
        mut table: Table,
        done: Vec<Received>,
        delivery: Delivery<'_>,
    ) -> io::Result<()> {
        let Some([ty, length, bytes]) = table.next() else {
            delivery.receiver.message(delivery.from, Cow::Owned(body), done)?;
            return Ok(());
        };
        let object = match delivery.receiver.begin_part(ty, length, bytes) {
            Some((target, object)) if target.length == bytes => {
                self.pending = PendingBytes::memory(target);
                Some(object)
            }
            _ => {
                self.pending = PendingBytes::bytes(bytes);
                None
            }
        };
        self.stage = Stage::Part { body, table, done, object };
        Ok(())
    }
}

#[cfg(test)]
mod tests;
