//! x10.lang.Char: code points.

use crate::abi::{Char, Outcome};
use crate::heap::Ref;
use crate::program;

/// Appends a character to UTF-8 text. A code below 256 that came from a byte of a string stays what it is as
/// text; what is no code point becomes a replacement character.
pub(crate) fn push(text: &mut Vec<u8>, character: Char) {
    let character = char::from_u32(character.0).unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

pub(crate) fn string_from_char(value: Char) -> Outcome<Ref> {
    let mut text = Vec::new();
    push(&mut text, value);
    program::string(&text)
}

fn test(value: Char, test: impl FnOnce(char) -> bool) -> bool {
    char::from_u32(value.0).is_some_and(test)
}

pub(crate) fn char_is_lower(value: Char) -> bool {
    test(value, char::is_lowercase)
}

pub(crate) fn char_is_upper(value: Char) -> bool {
    test(value, char::is_uppercase)
}

pub(crate) fn char_is_digit(value: Char) -> bool {
    test(value, |character| character.is_ascii_digit())
}

pub(crate) fn char_is_letter(value: Char) -> bool {
    test(value, char::is_alphabetic)
}

pub(crate) fn char_is_whitespace(value: Char) -> bool {
    test(value, char::is_whitespace)
}

/// The one character of a case mapping; a mapping to several leaves the character as it is.
fn single(value: Char, mut mapped: impl Iterator<Item = char>) -> Char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => Char(one as u32),
        _ => value,
    }
}

pub(crate) fn char_to_lower(value: Char) -> Char {
    char::from_u32(value.0).map_or(value, |character| single(value, character.to_lowercase()))
}

pub(crate) fn char_to_upper(value: Char) -> Char {
    char::from_u32(value.0).map_or(value, |character| single(value, character.to_uppercase()))
}
