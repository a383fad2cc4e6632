//! Frames on a byte stream: 16 bytes of head, a header, a body.

use std::io::{self, Read, Write};

use crate::net::shm::ring::Pipe;
use crate::serialize::out_of_band::Part;
use crate::serialize::read::Input;
use crate::serialize::write::number as write_number;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An active message: the body is the message, then its parts; the header says which they are.
    Message,
    /// A put: the header says where, the body is what.
    Put,
    /// The sender leaves.
    Farewell,
    /// The sender lives.
    Beat,
}

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// What it is.
    pub class: Class,
    /// What the receiver is to do.
    pub kind: u8,
    /// Bytes of the header.
    pub header: u32,
    /// Bytes of the body.
    pub body: u64,
    /// Long pieces are lent: in their place are their addresses.
    pub lent: bool,
}

/// Bytes of a head.
pub const HEAD: usize = 16;
/// A heartbeat as a frame.
pub const BEAT: [u8; HEAD] = [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// The longest header; a longer one is no header of ours.
pub const MAX_HEADER: u32 = 1 << 16;
/// The most that a part takes in a header.
const MOST_OF_PART: usize = 30;
/// So small a frame is put together, and read, without memory of its own.
pub const SMALLEST: usize = 256;
/// Below this size head, header and body go out as one write.
const SMALL: usize = 1 << 16;

impl Head {
    /// Bytes of the frame that have to come before it is read.
    pub fn length(&self) -> u64 {
        match self.lent {
            // The rest is short, and comes at once.
            true => HEAD as u64,
            false => (HEAD as u64 + u64::from(self.header)).saturating_add(self.body),
        }
    }

    fn encode(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[0] = match self.class {
            Class::Message => 1,
            Class::Put => 2,
            Class::Farewell => 3,
            Class::Beat => 4,
        };
        bytes[1] = self.kind;
        bytes[2] = u8::from(self.lent);
        bytes[4..8].copy_from_slice(&self.header.to_le_bytes());
        bytes[8..].copy_from_slice(&self.body.to_le_bytes());
        bytes
    }

    /// From bytes.
    pub fn decode(bytes: [u8; HEAD]) -> io::Result<Head> {
        let class = match bytes[0] {
            1 => Class::Message,
            2 => Class::Put,
            3 => Class::Farewell,
            4 => Class::Beat,
            _ => return Err(malformed("what has come is no frame")),
        };
        let [_, kind, lent, unused, h0, h1, h2, h3, body @ ..] = bytes;
        let head = Head {
            class,
            kind,
            header: u32::from_le_bytes([h0, h1, h2, h3]),
            body: u64::from_le_bytes(body),
            lent: lent != 0,
        };
        if lent > 1 || unused != 0 {
            return Err(malformed("a frame with flags that mean nothing"));
        }
        if head.header > MAX_HEADER {
            return Err(malformed("a frame whose header is too long"));
        }
        let is_empty = head.header == 0 && head.body == 0 && !head.lent;
        if matches!(class, Class::Farewell | Class::Beat) && !is_empty {
            return Err(malformed("a farewell or heartbeat with more behind it"));
        }
        Ok(head)
    }
}

/// What one frame is made of.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What it is.
    pub class: Class,
    /// What the receiver is to do.
    pub kind: u8,
    /// Of a put: where it goes.
    pub header: &'a [u8],
    /// The message, or what is put.
    pub body: &'a [u8],
    /// What goes beside a message.
    pub parts: &'a [Part],
}

impl Frame<'_> {
    /// Bytes that it takes, at most.
    pub fn most(&self) -> usize {
        let parts = self.parts.iter().map(|part| MOST_OF_PART + part.bytes().len());
        HEAD + self.header.len() + self.body.len() + parts.sum::<usize>()
    }

    fn head(&self, header: usize, body: u64, lent: bool) -> Head {
        Head { class: self.class, kind: self.kind, header: header as u32, body, lent }
    }

    /// Writes a short one to a pipe if there is room for it.
    pub fn write_at_once(&self, out: &Pipe) -> bool {
        /// The other end begins to read what is longer before it is there.
        const MOST: usize = 4096;
        let length = self.header.len() + self.body.len();
        let is_bare = self.class == Class::Message && self.header.is_empty() && self.parts.is_empty();
        if is_bare && out.write_note(self.kind, self.body, false) {
            return true;
        }
        let head = self.head(self.header.len(), self.body.len() as u64, false).encode();
        self.parts.is_empty() && length <= MOST && out.write_at_once([&head, self.header, self.body])
    }

    /// Writes it to a pipe whose other end fetches what is lent; returns when it has.
    pub fn write_or_lend(&self, out: &mut Pipe) -> io::Result<()> {
        if self.write_at_once(out) {
            return Ok(());
        }
        let is_put = self.class == Class::Put && is_lent(self.body.len() as u64);
        let parts = self.parts.iter().filter(|part| is_lent(part.bytes().len() as u64)).count();
        let lent = parts + usize::from(is_put);
        if lent == 0 || !out.may_lend() {
            return self.write(out);
        }
        let count = out.fetches_after(lent);
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
                bytes if is_lent(bytes.len() as u64) => out.write_all(&address(bytes))?,
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
        let head = self.head(table.len(), self.body.len() as u64 + beside, false);
        write(out, head, &table, self.body)?;
        self.parts.iter().try_for_each(|part| out.write_all(part.bytes()))
    }
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
pub fn bytes_without_parts(head: &Head, parts: &[[u64; 3]]) -> io::Result<u64> {
    let left = parts.iter().try_fold(head.body, |left, [_, _, bytes]| left.checked_sub(*bytes));
    left.ok_or_else(|| malformed("parts that are longer than their message"))
}

/// Whether so many bytes are lent where they can be.
pub fn is_lent(bytes: u64) -> bool {
    /// Fewer are written sooner.
    const LEAST: u64 = 128 << 10;
    bytes >= LEAST
}

/// Writes a frame, but for the parts.
fn write(out: &mut dyn Write, head: Head, header: &[u8], body: &[u8]) -> io::Result<()> {
    let head = head.encode();
    if header.len() + body.len() <= SMALLEST - HEAD {
        let mut all = [0; SMALLEST];
        all[..HEAD].copy_from_slice(&head);
        all[HEAD..][..header.len()].copy_from_slice(header);
        let length = HEAD + header.len() + body.len();
        all[HEAD + header.len()..length].copy_from_slice(body);
        return out.write_all(&all[..length]);
    }
    if header.len() + body.len() <= SMALL {
        let mut all = Vec::with_capacity(head.len() + header.len() + body.len());
        all.extend_from_slice(&head);
        all.extend_from_slice(header);
        all.extend_from_slice(body);
        return out.write_all(&all);
    }
    out.write_all(&head)?;
    out.write_all(header)?;
    out.write_all(body)
}

/// Reads a frame's head, or `None` where the stream ends before it.
pub fn read_head(input: &mut dyn Read) -> io::Result<Option<Head>> {
    let mut bytes = [0; HEAD];
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
    Head::decode(bytes).map(Some)
}

/// Reads `length` bytes; memory grows with what really arrives.
pub fn read_bytes(input: &mut dyn Read, length: u64) -> io::Result<Vec<u8>> {
    /// What is believed to be there without having seen it.
    const BELIEVED: u64 = 1 << 20;
    if length <= BELIEVED {
        let mut bytes = vec![0; length as usize];
        input.read_exact(&mut bytes)?;
        return Ok(bytes);
    }
    let mut bytes = Vec::with_capacity(BELIEVED as usize);
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Reads `length` bytes and forgets them.
pub fn skip(input: &mut dyn Read, length: u64) -> io::Result<()> {
    let skipped = io::copy(&mut input.take(length), &mut io::sink())?;
    if skipped == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_comes_back_as_it_went() {
        for size in [0, 10, SMALL, SMALL + 1] {
            let body = vec![7; size];
            let mut bytes = Vec::new();
            let frame = Frame { class: Class::Put, kind: 5, header: b"where", body: &body, parts: &[] };
            frame.write(&mut bytes).expect("memory");
            let mut input = &bytes[..];
            let head = read_head(&mut input).expect("a head").expect("a frame");
            assert_eq!(head, Head { class: Class::Put, kind: 5, header: 5, body: size as u64, lent: false });
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
        assert_eq!(read_head(&mut &BEAT[..]).expect("a head").map(|head| head.class), Some(Class::Beat));
        for (at, byte) in [(2, 1), (3, 1), (4, 1), (8, 1)] {
            let mut beat = BEAT;
            beat[at] = byte;
            assert!(read_head(&mut &beat[..]).is_err(), "{at}");
        }
        assert!(read_bytes(&mut &[0_u8; 3][..], u64::MAX).is_err());
        assert!(skip(&mut &[0_u8; 3][..], 4).is_err());
    }
}
