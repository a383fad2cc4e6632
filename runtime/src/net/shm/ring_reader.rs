//! Frames from a pipe. Whoever reads deals with a whole frame, and may wait for its rest: its writer has
//! begun to write it.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::atomic::Ordering;

use crate::heap::page_watch;
use crate::net::endpoint::Receiver;
use crate::net::frame::encoding;
use crate::net::frame::encoding::{Class, Head};
use crate::net::mesh::peer::{Peer, reading};
use crate::net::shm::ring::{NOTE, Pipe};
use crate::serialize::out_of_band::Received;

/// Reads what comes through a pipe, until its end.
pub fn run(peer: &Peer, input: Pipe, receiver: &dyn Receiver) {
    let Some(pipes) = &peer.pipes else { return };
    while !peer.ended.load(Ordering::Acquire) {
        let reading = pipes.reading.lock();
        while peer.read_next(input, receiver, true) {}
        drop(reading);
        input.wait();
    }
}

impl Peer {
    /// Deals with the next message, or the end; false if none has come. One that has not come as a whole is
    /// waited for if the caller `waits`, else it has not come. The caller holds
    /// [`crate::net::mesh::peer::Pipes::reading`].
    #[inline]
    pub fn read_next(&self, input: Pipe, receiver: &dyn Receiver, waits: bool) -> bool {
        if self.ended.load(Ordering::Acquire) {
            return false;
        }
        // A note is older than what is in the ring, and none comes while something is.
        let has_bytes = input.has_bytes();
        let mut note = [0; NOTE];
        if let Some((kind, length)) = input.take_note(&mut note) {
            self.hand_on(receiver, kind, &note[..length]);
            return true;
        }
        if !has_bytes {
            let has_ended = input.has_ended();
            // What came last came before the end.
            if has_ended && !input.has_come() {
                self.end(Ok(()), receiver);
            }
            return has_ended;
        }
        let mut bytes = [0; encoding::SMALLEST];
        let length = input.peek(&mut bytes);
        let head = bytes[..length].split_first_chunk().map(|(head, rest)| (Head::decode(*head), rest));
        if let Some((Ok(head), rest)) = &head
            && head.class == Class::Message
            && head.header == 0
            && !head.lent
            && head.body <= rest.len() as u64
        {
            let body = &rest[..head.body as usize];
            input.skip(encoding::HEAD + body.len());
            self.hand_on(receiver, head.kind, body);
            return true;
        }
        let whole = match &head {
            Some((head, _)) => head.as_ref().map_or(0, Head::length),
            None => encoding::HEAD as u64,
        };
        let reads = waits || input.holds(whole);
        if reads {
            self.read_one(input, receiver);
        }
        reads
    }

    /// Hands on a message without parts.
    fn hand_on(&self, receiver: &dyn Receiver, kind: u8, body: &[u8]) {
        let result = reading(|| receiver.message(self.place, kind, Cow::Borrowed(body), Vec::new()));
        if let Err(error) = result {
            self.end(Err(error.into()), receiver);
        }
    }

    /// Deals with the next frame, or the end.
    fn read_one(&self, mut input: Pipe, receiver: &dyn Receiver) {
        match read_frame(&mut input, self, receiver) {
            Ok(true) => {}
            Ok(false) => self.end(Ok(()), receiver),
            Err(error) => self.end(Err(error), receiver),
        }
    }
}

/// Reads and deals with one frame; false at the end.
fn read_frame(input: &mut Pipe, peer: &Peer, receiver: &dyn Receiver) -> io::Result<bool> {
    let Some(head) = encoding::read_head(input)? else { return Ok(false) };
    reading(|| match head.class {
        Class::Message => read_message(input, head, peer.place, receiver),
        Class::Put => read_put(input, head, peer.place, receiver),
        Class::Farewell => {
            peer.left.store(true, Ordering::Release);
            Ok(())
        }
        Class::Beat => Ok(()),
    })?;
    Ok(true)
}

/// The next piece, or nothing of it: written there, or lent.
fn piece(input: &mut Pipe, lent: bool, length: u64, memory: Option<&mut [u8]>) -> io::Result<()> {
    match memory {
        memory if lent && encoding::is_lent(length) => input.fetch(memory),
        Some(memory) => read_into_heap(input, memory),
        None => encoding::skip(input, length),
    }
}

/// Fills memory that may be an object's.
fn read_into_heap(input: &mut Pipe, mut memory: &mut [u8]) -> io::Result<()> {
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

fn read_message(input: &mut Pipe, head: Head, from: u32, receiver: &dyn Receiver) -> io::Result<()> {
    let table = match head.header {
        0 => Vec::new(),
        length => encoding::parts(&encoding::read_bytes(input, length.into())?)?,
    };
    let body = encoding::read_bytes(input, encoding::bytes_without_parts(&head, &table)?)?;
    let mut parts = Vec::new();
    for [ty, length, bytes] in table {
        parts.push(match receiver.begin_part(ty, length, bytes) {
            Some((target, object)) => {
                // SAFETY: the elements of a new object that nobody else knows.
                let memory =
                    unsafe { std::slice::from_raw_parts_mut(target.address, target.length as usize) };
                piece(input, head.lent, bytes, Some(memory))?;
                Received::Object(object)
            }
            None => Received::Bytes(read_unplaced(input, head.lent, bytes)?),
        });
    }
    receiver.message(from, head.kind, Cow::Owned(body), parts)?;
    Ok(())
}

/// A part that there is no room for in the heap.
fn read_unplaced(input: &mut Pipe, lent: bool, bytes: u64) -> io::Result<Vec<u8>> {
    if !(lent && encoding::is_lent(bytes)) {
        return encoding::read_bytes(input, bytes);
    }
    let length = usize::try_from(bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    input.fetch_bytes(length)
}

fn read_put(input: &mut Pipe, head: Head, from: u32, receiver: &dyn Receiver) -> io::Result<()> {
    let header = encoding::read_bytes(input, u64::from(head.header))?;
    let target = receiver.begin_put(from, head.kind, &header, head.body)?;
    let target = target.filter(|target| target.length == head.body);
    match target {
        Some(target) => {
            // SAFETY: the receiver gave out this memory until `end_put`; only this thread writes it.
            let memory = unsafe { std::slice::from_raw_parts_mut(target.address, target.length as usize) };
            piece(input, head.lent, head.body, Some(memory))?;
        }
        None => piece(input, head.lent, head.body, None)?,
    }
    receiver.end_put(from, head.kind, header, target.is_some())?;
    Ok(())
}
