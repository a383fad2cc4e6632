//! Frames from the pieces in which a stream brings them: a state machine, so that one thread reads from many
//! streams and none of them, however slow or silent, keeps the others waiting.

use std::borrow::Cow;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::heap::Handle;
use crate::net::endpoint::{PutTarget, Receiver};
use crate::net::frame::encoding;
use crate::net::frame::encoding::{Class, HEAD, Head};
use crate::serialize::out_of_band::Received;

/// Memory taken for bytes that have not come yet.
const MAX_RESERVED: u64 = 1 << 20;
/// So many bytes are read straight to where they go.
const MIN_DIRECT: usize = 32 << 10;

/// A frame that is coming.
pub struct Assembly {
    stage: Stage,
    piece: Piece,
}

/// What is coming.
enum Stage {
    Head,
    Header(Head),
    Body(Head, Table),
    Part { head: Head, body: Vec<u8>, table: Table, done: Vec<Received>, object: Option<Handle> },
    Put { head: Head, header: Vec<u8>, accepted: bool },
}

/// The parts of a message that are still to come, in order: type, length, bytes.
type Table = std::vec::IntoIter<[u64; 3]>;

/// The bytes that are coming.
struct Piece {
    target: Target,
    left: u64,
}

enum Target {
    Bytes(Vec<u8>),
    /// Memory of the receiver, and what was written.
    Memory(PutTarget, usize),
    Nowhere,
}

/// Where a frame comes from, and who gets it.
#[derive(Clone, Copy)]
pub struct Delivery<'a> {
    /// The place that sends.
    pub from: u32,
    /// The receiver of messages and puts.
    pub receiver: &'a dyn Receiver,
    /// Set when the place takes leave.
    pub left: &'a AtomicBool,
}

fn malformed(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

impl Piece {
    fn bytes(length: u64) -> Piece {
        Piece { target: Target::Bytes(Vec::new()), left: length }
    }

    fn memory(target: PutTarget) -> Piece {
        Piece { left: target.length, target: Target::Memory(target, 0) }
    }

    /// Takes of `input` what belongs to it.
    fn take(&mut self, input: &mut &[u8]) -> io::Result<()> {
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(input.len());
        let (taken, rest) = input.split_at(count);
        match &mut self.target {
            Target::Bytes(bytes) => {
                let reserved = self.left.min(MAX_RESERVED).max(count as u64) as usize;
                bytes.try_reserve(reserved).map_err(|_| io::ErrorKind::OutOfMemory)?;
                bytes.extend_from_slice(taken);
            }
            Target::Memory(target, written) => {
                // SAFETY: the receiver gave out this memory until the frame has come; `left` bytes behind
                // `written` are in it.
                unsafe { target.address.add(*written).copy_from_nonoverlapping(taken.as_ptr(), count) };
                *written += count;
            }
            Target::Nowhere => {}
        }
        self.left -= count as u64;
        *input = rest;
        Ok(())
    }

    fn into_bytes(self) -> Vec<u8> {
        match self.target {
            Target::Bytes(bytes) => bytes,
            Target::Memory(..) | Target::Nowhere => Vec::new(),
        }
    }
}

impl Default for Assembly {
    fn default() -> Assembly {
        Assembly { stage: Stage::Head, piece: Piece::bytes(HEAD as u64) }
    }
}

impl Assembly {
    /// Nothing of a frame has come.
    pub fn is_between_frames(&self) -> bool {
        matches!(self.stage, Stage::Head) && self.piece.left == HEAD as u64
    }

    /// Memory that the next bytes go to, if many do: who fills some of it says so by [`Assembly::filled`].
    pub fn direct(&mut self) -> Option<&mut [u8]> {
        let Target::Memory(target, written) = &self.piece.target else { return None };
        let left = usize::try_from(self.piece.left).ok().filter(|left| *left >= MIN_DIRECT)?;
        // SAFETY: as in `take`.
        Some(unsafe { std::slice::from_raw_parts_mut(target.address.add(*written), left) })
    }

    /// So many bytes of [`Assembly::direct`] have come.
    pub fn filled(&mut self, count: usize, delivery: Delivery<'_>) -> io::Result<()> {
        if let Target::Memory(_, written) = &mut self.piece.target {
            *written += count;
            self.piece.left -= count as u64;
        }
        self.feed(&[], delivery)
    }

    /// Takes what has come, and hands on what is complete.
    pub fn feed(&mut self, mut input: &[u8], delivery: Delivery<'_>) -> io::Result<()> {
        loop {
            self.piece.take(&mut input)?;
            if self.piece.left > 0 {
                return Ok(());
            }
            self.advance(delivery)?;
        }
    }

    /// The piece is complete.
    fn advance(&mut self, delivery: Delivery<'_>) -> io::Result<()> {
        let piece = std::mem::replace(&mut self.piece, Piece::bytes(HEAD as u64));
        match std::mem::replace(&mut self.stage, Stage::Head) {
            Stage::Head => {
                let bytes = piece.into_bytes().try_into().map_err(|_| malformed("not a head"))?;
                self.begin(Head::decode(bytes)?, delivery)
            }
            Stage::Header(head) if head.class == Class::Put => {
                let header = piece.into_bytes();
                let target = delivery.receiver.begin_put(delivery.from, head.kind, &header, head.body)?;
                let target = target.filter(|target| target.length == head.body);
                let accepted = target.is_some();
                self.piece = target.map_or(Piece { target: Target::Nowhere, left: head.body }, Piece::memory);
                self.stage = Stage::Put { head, header, accepted };
                Ok(())
            }
            Stage::Header(head) => self.begin_body(head, encoding::parts(&piece.into_bytes())?),
            Stage::Body(head, table) => self.next_part(head, piece.into_bytes(), table, Vec::new(), delivery),
            Stage::Part { head, body, table, mut done, object } => {
                done.push(match object {
                    Some(object) => Received::Object(object),
                    None => Received::Bytes(piece.into_bytes()),
                });
                self.next_part(head, body, table, done, delivery)
            }
            Stage::Put { head, header, accepted } => {
                delivery.receiver.end_put(delivery.from, head.kind, header, accepted)?;
                Ok(())
            }
        }
    }

    fn begin(&mut self, head: Head, delivery: Delivery<'_>) -> io::Result<()> {
        match head.class {
            _ if head.lent => Err(malformed("a frame that lends memory, over a connection")),
            Class::Message if head.header == 0 => self.begin_body(head, Vec::new()),
            Class::Message | Class::Put => {
                self.stage = Stage::Header(head);
                self.piece = Piece::bytes(head.header.into());
                Ok(())
            }
            Class::Farewell => {
                delivery.left.store(true, Ordering::Release);
                Ok(())
            }
            Class::Beat => Ok(()),
        }
    }

    fn begin_body(&mut self, head: Head, table: Vec<[u64; 3]>) -> io::Result<()> {
        self.piece = Piece::bytes(encoding::bytes_without_parts(&head, &table)?);
        self.stage = Stage::Body(head, table.into_iter());
        Ok(())
    }

    /// Begins the next part, or hands the message on.
    fn next_part(
        &mut self,
        head: Head,
        body: Vec<u8>,
        mut table: Table,
        done: Vec<Received>,
        delivery: Delivery<'_>,
    ) -> io::Result<()> {
        let Some([ty, length, bytes]) = table.next() else {
            delivery.receiver.message(delivery.from, head.kind, Cow::Owned(body), done)?;
            return Ok(());
        };
        let object = match delivery.receiver.begin_part(ty, length, bytes) {
            Some((target, object)) if target.length == bytes => {
                self.piece = Piece::memory(target);
                Some(object)
            }
            _ => {
                self.piece = Piece::bytes(bytes);
                None
            }
        };
        self.stage = Stage::Part { head, body, table, done, object };
        Ok(())
    }
}

#[cfg(test)]
mod tests;
