//! Concatenation of several parts at once: a number's digits are written where they belong, without a string
//! of their own.

use super::numbers::Digits;
use crate::abi::{Bytes, Char, Outcome};
use crate::heap;
use crate::heap::Ref;
use crate::program;

/// Parts that are joined at once, at most; `mir::JOINED` of the compiler says the same.
pub(crate) const MAX_PARTS: usize = 8;

/// A part, as generated code lays it out (`apg_part`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    kind: u64,
    bits: u64,
}

/// What the bits of a part are: the C header has the same numbers.
mod kind {
    pub(super) const I64: u64 = 1;
    pub(super) const U64: u64 = 2;
    pub(super) const F64: u64 = 3;
    pub(super) const F32: u64 = 4;
    pub(super) const BOOL: u64 = 5;
    pub(super) const CHAR: u64 = 6;
}

impl Part {
    /// Its text, which is the string's own or put into `digits`.
    fn text<'a>(&self, digits: &'a mut Digits) -> &'a [u8] {
        match self.kind {
            kind::I64 => digits.signed(self.bits as i64),
            kind::U64 => digits.unsigned(self.bits),
            kind::F64 => digits.double(f64::from_bits(self.bits)),
            kind::F32 => digits.float(f32::from_bits(self.bits as u32)),
            kind::BOOL => return if self.bits == 0 { b"false" } else { b"true" },
            kind::CHAR => digits.character(Char(self.bits as u32)),
            _ => {
                let string = Ref(self.bits as *mut _);
                return if string.is_null() { b"null" } else { string.bytes() };
            }
        }
        digits.text()
    }
}

/// The concatenation of the parts.
pub(crate) fn string_join(parts: Bytes, count: i64) -> Outcome<Ref> {
    let mut digits = [const { Digits::new() }; MAX_PARTS];
    let (strings, length) = part_strings(parts, count, &mut digits);
    let result = program::string_of_length(length)?;
    // SAFETY: a new string of the length of all.
    unsafe { write_all(&strings, result.elements()) };
    Ok(result)
}

/// The text of a string and then those of the parts: in place, if nobody else has the string and there is
/// room behind it.
pub(crate) fn string_append(string: Ref, own: bool, parts: Bytes, count: i64) -> Outcome<Ref> {
    // Room for the digits of one number costs less than room for many.
    if count == 1 {
        append::<1>(string, own, parts, count)
    } else {
        append::<MAX_PARTS>(string, own, parts, count)
    }
}

fn append<const N: usize>(string: Ref, own: bool, parts: Bytes, count: i64) -> Outcome<Ref> {
    let mut digits = [const { Digits::new() }; N];
    let (strings, more) = part_strings(parts, count, &mut digits);
    let before = if string.is_null() { &b"null"[..] } else { string.bytes() };
    let length = before.len() + more;
    if own && heap::grow_string(string, length) {
        // SAFETY: there is room for so much.
        unsafe { write_all(&strings, string.elements().add(length - more)) };
        return Ok(string);
    }
    // A text that grows once more is likely to grow again.
    let result = match own {
        true => program::string_with_room(length)?,
        false => program::string_of_length(length)?,
    };
    // SAFETY: a new string of at least the length of all.
    unsafe {
        result.elements().copy_from_nonoverlapping(before.as_ptr(), before.len());
        write_all(&strings, result.elements().add(before.len()));
    }
    Ok(result)
}

/// The strings of the parts, and their length together.
#[inline]
fn part_strings<const N: usize>(parts: Bytes, count: i64, digits: &mut [Digits; N]) -> ([&[u8]; N], usize) {
    // SAFETY: generated code passes an array of that length.
    let parts = unsafe { std::slice::from_raw_parts(parts.cast::<Part>(), (count as usize).min(N)) };
    let mut strings = [&b""[..]; N];
    let mut length = 0;
    for ((part, digits), text) in parts.iter().zip(digits).zip(&mut strings) {
        *text = part.text(digits);
        length += text.len();
    }
    (strings, length)
}

/// Writes strings one after the other.
///
/// # Safety
/// There is room for all.
#[inline]
unsafe fn write_all(strings: &[&[u8]], mut to: *mut u8) {
    for text in strings {
        if text.is_empty() {
            continue;
        }
        // SAFETY: by the caller.
        unsafe {
            to.copy_from_nonoverlapping(text.as_ptr(), text.len());
            to = to.add(text.len());
        }
    }
}
