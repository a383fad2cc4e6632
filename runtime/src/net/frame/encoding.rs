//! Encoding of frames: 16 bytes of head, a header, a body.

use std::io::{self, IoSlice, Read, Write};

use crate::net::shm::ring::Ring;
use crate::serialize::out_of_band::Part;
use crate::serialize::read::Input;
use crate::serialize::write::number as write_number;

/// Kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// An active message: the body is the message, then its parts, which the header describes.
    Message,
    /// A put: the header names the target, the body has the bytes.
    Put,
    /// The sender shuts down.
    Shutdown,
    /// A heartbeat.
    Heartbeat,
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHead {
    /// Kind of the frame.
    pub class: FrameKind,
    /// Bytes of the header.
    pub header: u32,
    /// Bytes of the body.
    pub body: u64,
    /// Zero-copy: long parts are not in the stream. In a ring are their addresses instead; over MPI the body
    /// of a put comes in messages of its own.
    pub zero_copy: bool,
}

/// Bytes of a head.
pub const FRAME_HEAD_SIZE: usize = 16;
/// A heartbeat as a frame.
pub const HEARTBEAT_FRAME: [u8; FRAME_HEAD_SIZE] = [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Maximum size of a header; a longer one is malformed.
pub const MAX_HEADER: u32 = 1 << 16;
/// Maximum size of a part's entry in a header.
const MAX_PART_ENTRY_SIZE: usize = 30;
/// Frames up to this size are written and read by way of the stack.
pub const MAX_STACK_FRAME_SIZE: usize = 256;
/// Frames below this size are sent with one write.
const MAX_SINGLE_WRITE_SIZE: usize = 1 << 16;

impl FrameHead {
    /// Bytes of the frame that must have arrived before it is read.
    pub fn length(&self) -> u64 {
        match self.zero_copy {
            // The rest is short, and was written at once.
            true => FRAME_HEAD_SIZE as u64,
            false => (FRAME_HEAD_SIZE as u64 + u64::from(self.header)).saturating_add(self.body),
        }
    }

    fn encode(self) -> [u8; FRAME_HEAD_SIZE] {
        let mut bytes = [0; FRAME_HEAD_SIZE];
        bytes[0] = match self.class {
            FrameKind::Message => 1,
            FrameKind::Put => 2,
            FrameKind::Shutdown => 3,
            FrameKind::Heartbeat => 4,
        };
        bytes[2] = u8::from(self.zero_copy);
        bytes[4..8].copy_from_slice(&self.header.to_le_bytes());
        bytes[8..].copy_from_slice(&self.body.to_le_bytes());
        bytes
    }

    /// From bytes.
    pub fn decode(bytes: [u8; FRAME_HEAD_SIZE]) -> io::Result<FrameHead> {
        let class = match bytes[0] {
            1 => FrameKind::Message,
            2 => FrameKind::Put,
            3 => FrameKind::Shutdown,
            4 => FrameKind::Heartbeat,
            _ => return Err(malformed("what has come is no frame")),
        };
        let [_, unused, zero_copy, reserved, h0, h1, h2, h3, body @ ..] = bytes;
        let head = FrameHead {
            class,
            header: u32::from_le_bytes([h0, h1, h2, h3]),
            body: u64::from_le_bytes(body),
            zero_copy: zero_copy != 0,
        };
        if zero_copy > 1 || unused != 0 || reserved != 0 {
            return Err(malformed("a frame with flags that mean nothing"));
        }
        if head.header > MAX_HEADER {
            return Err(malformed("a frame whose header is too long"));
        }
        let is_empty = head.header == 0 && head.body == 0 && !head.zero_copy;
        if matches!(class, FrameKind::Shutdown | FrameKind::Heartbeat) && !is_empty {
            return Err(malformed("a farewell or heartbeat with more behind it"));
        }
        Ok(head)
    }
}

/// A frame to be written.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Kind of the frame.
    pub class: FrameKind,
    /// Of a put: its target.
    pub header: &'a [u8],
    /// The message, or the bytes of a put.
    pub body: &'a [u8],
    /// Out-of-band parts of a message.
    pub parts: &'a [Part],
}

impl Frame<'_> {
    /// Upper bound of its length.
    pub fn max_length(&self) -> usize {
        let parts = self.parts.iter().map(|part| MAX_PART_ENTRY_SIZE + part.bytes().len());
        FRAME_HEAD_SIZE + self.header.len() + self.body.len() + parts.sum::<usize>()
    }

    fn head(&self, header: usize, body: u64, zero_copy: bool) -> FrameHead {
        FrameHead { class: self.class, header: header as u32, body, zero_copy }
    }

    /// Writes a short one to a ring if there is room for it.
    pub fn write_at_once(&self, out: &Ring) -> bool {
        /// Longer frames are written in pieces, which the other end reads meanwhile.
        const MAX_IMMEDIATE_SIZE: usize = 4096;
        let length = self.header.len() + self.body.len();
        let is_bare = self.class == FrameKind::Message && self.header.is_empty() && self.parts.is_empty();
        if is_bare && out.write_inline(self.body, false) {
            return true;
        }
        let head = self.head(self.header.len(), self.body.len() as u64, false).encode();
        self.parts.is_empty()
            && length <= MAX_IMMEDIATE_SIZE
            && out.write_at_once([&head, self.header, self.body])
    }

    /// Writes it to a ring, long parts by zero-copy transfer; returns when the other end has fetched them.
    pub fn write_zero_copy(&self, out: &mut Ring) -> io::Result<()> {
        if self.write_at_once(out) {
            return Ok(());
        }
        let is_put = self.class == FrameKind::Put && is_zero_copy(self.body.len() as u64);
        let parts = self.parts.iter().filter(|part| is_zero_copy(part.bytes().len() as u64)).count();
        let zero_copy = parts + usize::from(is_put);
        if zero_copy == 0 || !out.supports_zero_copy() {
            return self.write(out);
        }
        let count = out.fetches_after(zero_copy);
        let (table, beside) = self.table();
        let header = if self.parts.is_empty() { self.header } else { &table };
        let head = self.head(header.len(), self.body.len() as u64 + beside, true);
        let address = |bytes: &[u8]| (bytes.as_ptr() as u64).to_le_bytes();
        out.write_all(&head.encode())?;
        out.write_all(header)?;
        if is_put {
            out.write_all(&address(self.body))?
        } else {
            out.write_all(self.body)?
        }
        for part in self.parts {
            match part.bytes() {
                bytes if is_zero_copy(bytes.len() as u64) => out.write_all(&address(bytes))?,
                bytes => out.write_all(bytes)?,
            }
        }
        out.wait_for_fetches(count)
    }

    /// The header of a message with parts, and the bytes of these.
    fn table(&self) -> (Vec<u8>, u64) {
        let (mut table, mut beside) = (Vec::new(), 0);
        for part in self.parts {
            let bytes = part.bytes().len() as u64;
            for number in [u64::from(part.ty), part.length as u64, bytes] {
                write_number(&mut table, number);
            }
            beside += bytes;
        }
        (table, beside)
    }

    /// Writes it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.parts.is_empty() {
            let head = self.head(self.header.len(), self.body.len() as u64, false);
            return write(out, head, self.header, self.body);
        }
        let (table, beside) = self.table();
        let head = self.head(table.len(), self.body.len() as u64 + beside, false).encode();
        let mut slices = vec![IoSlice::new(&head), IoSlice::new(&table), IoSlice::new(self.body)];
        slices.extend(self.parts.iter().map(|part| IoSlice::new(part.bytes())));
        write_all_vectored(out, &mut slices)
    }
}

/// Writes the head and the header of a put whose body does not follow in the stream.
pub fn write_zero_copy_put(out: &mut dyn Write, header: &[u8], body: u64) -> io::Result<()> {
    let length = header.len() as u32;
    let head = FrameHead { class: FrameKind::Put, header: length, body, zero_copy: true };
    write(out, head, header, &[])
}

/// The parts of a message, as its header says: type, length, bytes.
pub fn parts(header: &[u8]) -> io::Result<Vec<[u64; 3]>> {
    let mut input = Input::new(header);
    let mut parts = Vec::new();
    let damaged = |_| malformed("a header that is no list of parts");
    while input.remaining() > 0 {
        let mut number = || input.number().map_err(damaged);
        parts.push([number()?, number()?, number()?]);
    }
    Ok(parts)
}

fn malformed(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Bytes of a message's body before these parts.
pub fn bytes_without_parts(head: &FrameHead, parts: &[[u64; 3]]) -> io::Result<u64> {
    let left = parts.iter().try_fold(head.body, |left, [_, _, bytes]| left.checked_sub(*bytes));
    left.ok_or_else(|| malformed("parts that are longer than their message"))
}

/// Whether `bytes` bytes are transferred zero-copy where that is possible.
pub fn is_zero_copy(bytes: u64) -> bool {
    /// Copying fewer is faster.
    const MIN_ZERO_COPY_SIZE: u64 = 128 << 10;
    bytes >= MIN_ZERO_COPY_SIZE
}

/// Writes a frame without its parts.
fn write(out: &mut dyn Write, head: FrameHead, header: &[u8], body: &[u8]) -> io::Result<()> {
    let head = head.encode();
    if header.len() + body.len() <= MAX_STACK_FRAME_SIZE - FRAME_HEAD_SIZE {
        let mut all = [0; MAX_STACK_FRAME_SIZE];
        all[..FRAME_HEAD_SIZE].copy_from_slice(&head);
        all[FRAME_HEAD_SIZE..][..header.len()].copy_from_slice(header);
        let length = FRAME_HEAD_SIZE + header.len() + body.len();
        all[FRAME_HEAD_SIZE + header.len()..length].copy_from_slice(body);
        return out.write_all(&all[..length]);
    }
    if header.len() + body.len() <= MAX_SINGLE_WRITE_SIZE {
        let mut all = Vec::with_capacity(head.len() + header.len() + body.len());
        all.extend_from_slice(&head);
        all.extend_from_slice(header);
        all.extend_from_slice(body);
        return out.write_all(&all);
    }
    write_all_vectored(out, &mut [IoSlice::new(&head), IoSlice::new(header), IoSlice::new(body)])
}

/// Writes all slices, several with one call where the target can (gather output, `writev(2)`).
fn write_all_vectored(out: &mut dyn Write, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
    // Empty slices at the front would look like the end of the target.
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match out.write_vectored(slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut slices, count),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads a frame's head, or `None` where the stream ends before it.
pub fn read_head(input: &mut dyn Read) -> io::Result<Option<FrameHead>> {
    let mut bytes = [0; FRAME_HEAD_SIZE];
    let mut filled = 0;
    while filled < bytes.len() {
        match input.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    FrameHead::decode(bytes).map(Some)
}

/// Reads `length` bytes; memory grows with what really arrives.
pub fn read_bytes(input: &mut dyn Read, length: u64) -> io::Result<Vec<u8>> {
    /// Memory that is allocated before the bytes have arrived.
    const MAX_PREALLOCATION: u64 = 1 << 20;
    if length <= MAX_PREALLOCATION {
        let mut bytes = vec![0; length as usize];
        input.read_exact(&mut bytes)?;
        return Ok(bytes);
    }
    let mut bytes = Vec::with_capacity(MAX_PREALLOCATION as usize);
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Reads and discards `length` bytes.
pub fn skip(input: &mut dyn Read, length: u64) -> io::Result<()> {
    let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
    if skipped == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_round_trip() {
        for size in [0, 10, MAX_SINGLE_WRITE_SIZE, MAX_SINGLE_WRITE_SIZE + 1] {
            let body = vec![7; size];
            let mut bytes = Vec::new();
            let frame = Frame { class: FrameKind::Put, header: b"where", body: &body, parts: &[] };
            frame.write(&mut bytes).expect("memory");
            let mut input = &bytes[..];
            let head = read_head(&mut input).expect("a head").expect("a frame");
            assert_eq!(
                head,
                FrameHead { class: FrameKind::Put, header: 5, body: size as u64, zero_copy: false }
            );
            assert_eq!(read_bytes(&mut input, 5).expect("header"), b"where");
            assert_eq!(read_bytes(&mut input, head.body).expect("body"), body);
            assert_eq!(read_head(&mut input).expect("the end"), None);
        }
    }

    #[test]
    fn damaged_frames_are_errors() {
        assert!(read_head(&mut &[9_u8; 16][..]).is_err());
        assert!(read_head(&mut &[1_u8; 5][..]).is_err());
        let mut long = [0_u8; 16];
        long[0] = 1;
        long[7] = 0xff;
        assert!(read_head(&mut &long[..]).is_err());
        assert_eq!(
            read_head(&mut &HEARTBEAT_FRAME[..]).expect("a head").map(|head| head.class),
            Some(FrameKind::Heartbeat)
        );
        for (at, byte) in [(1, 1), (2, 1), (3, 1), (4, 1), (8, 1)] {
            let mut beat = HEARTBEAT_FRAME;
            beat[at] = byte;
            assert!(read_head(&mut &beat[..]).is_err(), "{at}");
        }
        assert!(read_bytes(&mut &[0_u8; 3][..], u64::MAX).is_err());
        assert!(skip(&mut &[0_u8; 3][..], 4).is_err());
    }
}
