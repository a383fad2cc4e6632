//! Texts of several parts, made at once: a number's digits are written where they belong, without a string of their own.

use super::numbers::Digits;
use crate::abi::{Bytes, Char, Outcome};
use crate::memory::Ref;
use crate::program;

/// Parts that are joined at once, at most; `mir::JOINED` of the compiler says the same.
pub const MOST: usize = 8;

/// A part, as generated code lays it out (`apg_part`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    kind: u64,
    bits: u64,
}

/// What the bits of a part are: the C header has the same numbers.
mod kind {
    pub const I64: u64 = 1;
    pub const U64: u64 = 2;
    pub const F64: u64 = 3;
    pub const F32: u64 = 4;
    pub const BOOL: u64 = 5;
    pub const CHAR: u64 = 6;
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

/// The texts of the parts after each other.
pub fn string_join(parts: Bytes, count: i64) -> Outcome<Ref> {
    // SAFETY: generated code passes an array of that length, and of `MOST` parts at most.
    let parts = unsafe { std::slice::from_raw_parts(parts.cast::<Part>(), (count as usize).min(MOST)) };
    let mut digits = [const { Digits::new() }; MOST];
    let mut texts = [&b""[..]; MOST];
    let mut length = 0;
    for ((part, digits), text) in parts.iter().zip(&mut digits).zip(&mut texts) {
        *text = part.text(digits);
        length += text.len();
    }
    let result = program::string_of_length(length)?;
    let mut to = result.elements();
    for text in &texts[..parts.len()] {
        // SAFETY: a new string of the length of all.
        unsafe {
            to.copy_from_nonoverlapping(text.as_ptr(), text.len());
            to = to.add(text.len());
        }
    }
    Ok(result)
}
