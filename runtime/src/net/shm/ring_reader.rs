//! Reads and handles frames from a shared-memory ring. A reader that has begun a frame may wait for the rest,
//! since the writer is writing it.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

use crate::base::place::PlaceId;
use crate::heap::page_watch;
use crate::net::endpoint::Receiver;
use crate::net::frame::encoding;
use crate::net::frame::encoding::{FrameHead, FrameKind};
use crate::net::mesh::peer::{Peer, run_handler};
use crate::net::shm::ring::{MAX_INLINE_BYTES, Ring};
use crate::serialize::out_of_band::Received;

/// Main loop of the thread that reads a ring, until the writer ends.
pub(crate) fn run(peer: &Peer, input: Ring, receiver: &dyn Receiver) {
    let Some(rings) = &peer.rings else { return };
    while !peer.ended.load(Ordering::Acquire) {
        let reading = rings.reading.lock();
        while peer.read_next(input, receiver, true) {}
        drop(reading);
        input.wait();
    }
}

impl Peer {
    /// Handles the next message, or the end; false if none has arrived. If `waits`, it waits for the rest of
    /// a message that has arrived in part. The caller holds [`crate::net::mesh::peer::Rings::reading`].
    #[inline]
    pub(crate) fn read_next(&self, input: Ring, receiver: &dyn Receiver, waits: bool) -> bool {
        if self.ended.load(Ordering::Acquire) {
            return false;
        }
        // An inline message is older than the contents of the ring, and none arrives while the ring has
        // contents.
        let has_bytes = input.has_bytes();
        let mut inline = [0; MAX_INLINE_BYTES];
        if let Some(length) = input.take_inline(&mut inline) {
            self.deliver(receiver, &inline[..length]);
            return true;
        }
        if !has_bytes {
            let has_ended = input.has_ended();
            // The last message arrived before the end.
            if has_ended && !input.has_come() {
                self.end(Ok(()), receiver);
            }
            return has_ended;
        }
        let mut bytes = [0; encoding::MAX_STACK_FRAME_SIZE];
        let length = input.peek(&mut bytes);
        let head = bytes[..length].split_first_chunk().map(|(head, rest)| (FrameHead::decode(*head), rest));
        if let Some((Ok(head), rest)) = &head
            && head.class == FrameKind::Message
            && head.header == 0
            && !head.zero_copy
            && head.body <= rest.len() as u64
        {
            let body = &rest[..head.body as usize];
            input.skip(encoding::FRAME_HEAD_SIZE + body.len());
            self.deliver(receiver, body);
            return true;
        }
        let whole = match &head {
            Some((head, _)) => head.as_ref().map_or(0, FrameHead::length),
            None => encoding::FRAME_HEAD_SIZE as u64,
        };
        let reads = waits || input.holds(whole);
        if reads {
            self.read_one(input, receiver);
        }
        reads
    }

    /// Delivers a message without parts.
    fn deliver(&self, receiver: &dyn Receiver, body: &[u8]) {
        let result = run_handler(|| receiver.message(self.identity.place, Cow::Borrowed(body), Vec::new()));
        if let Err(error) = result {
            self.end(Err(error.into()), receiver);
        }
    }

    /// Reads and handles the next frame, or the end.
    fn read_one(&self, mut input: Ring, receiver: &dyn Receiver) {
        match read_frame(&mut input, self, receiver) {
            Ok(true) => {}
            Ok(false) => self.end(Ok(()), receiver),
            Err(error) => self.end(Err(error), receiver),
        }
    }
}

/// Reads and handles one frame; false at the end.
fn read_frame(input: &mut Ring, peer: &Peer, receiver: &dyn Receiver) -> io::Result<bool> {
    let Some(head) = encoding::read_head(input)? else { return Ok(false) };
    run_handler(|| match head.class {
        FrameKind::Message => read_message(input, head, peer.identity.place, receiver),
        FrameKind::Put => read_put(input, head, peer.identity.place, receiver),
        FrameKind::Shutdown => {
            peer.has_shut_down.store(true, Ordering::Release);
            Ok(())
        }
        FrameKind::Heartbeat => Ok(()),
    })?;
    Ok(true)
}

/// Reads the next part into `memory`, or discards it: from the ring, or by a zero-copy transfer.
fn read_part(input: &mut Ring, zero_copy: bool, length: u64, memory: Option<&mut [u8]>) -> io::Result<()> {
    match memory {
        memory if zero_copy && encoding::is_zero_copy(length) => input.fetch(memory),
        Some(memory) => read_into_heap(input, memory),
        None => encoding::skip(input, length),
    }
}

/// Reads bytes into memory that may be watched pages of the heap.
fn read_into_heap(input: &mut Ring, mut memory: &mut [u8]) -> io::Result<()> {
    while !memory.is_empty() {
        let (at, length) = (memory.as_ptr() as usize, memory.len());
        match page_watch::written_by_system(at, length, || input.read(memory)) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => memory = &mut memory[read..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn read_message(input: &mut Ring, head: FrameHead, from: PlaceId, receiver: &dyn Receiver) -> io::Result<()> {
    let table = match head.header {
        0 => Vec::new(),
        length => encoding::parts(&encoding::read_bytes(input, length.into())?)?,
    };
    let body = encoding::read_bytes(input, encoding::bytes_without_parts(&head, &table)?)?;
    let mut parts = Vec::new();
    for [ty, length, bytes] in table {
        parts.push(match receiver.begin_part(ty, length, bytes) {
            Some((target, object)) => {
                // SAFETY: the elements of a new object that no other thread knows.
                let memory =
                    unsafe { std::slice::from_raw_parts_mut(target.address, target.length as usize) };
                read_part(input, head.zero_copy, bytes, Some(memory))?;
                Received::Object(object)
            }
            None => Received::Bytes(read_unplaced(input, head.zero_copy, bytes)?),
        });
    }
    receiver.message(from, Cow::Owned(body), parts)?;
    Ok(())
}

/// Reads a part for which the heap has no room.
fn read_unplaced(input: &mut Ring, zero_copy: bool, bytes: u64) -> io::Result<Vec<u8>> {
    if !(zero_copy && encoding::is_zero_copy(bytes)) {
        return encoding::read_bytes(input, bytes);
    }
    let length = usize::try_from(bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    input.fetch_bytes(length)
}

fn read_put(input: &mut Ring, head: FrameHead, from: PlaceId, receiver: &dyn Receiver) -> io::Result<()> {
    let header = encoding::read_bytes(input, u64::from(head.header))?;
    let target = receiver.begin_put(from, &header, head.body)?;
    let target = target.filter(|target| target.length == head.body);
    // SAFETY: the receiver gave out this memory until `end_put`; only this thread writes it.
    let memory =
        target.as_ref().map(|it| unsafe { std::slice::from_raw_parts_mut(it.address, it.length as usize) });
    read_part(input, head.zero_copy, head.body, memory)
        .inspect_err(|_| receiver.abandon_put(from, &header))?;
    receiver.end_put(from, header, target.is_some())?;
    Ok(())
}
