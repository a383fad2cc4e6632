//! x10.lang.String: positions count bytes.

use super::{non_null, raise, range_of};
use crate::abi::{Char, ExceptionKind, Outcome};
use crate::heap::Ref;
use crate::program;

fn bytes_of<'a>(string: Ref) -> Outcome<&'a [u8]> {
    Ok(non_null(string)?.bytes())
}

pub(crate) fn string_concat(left: Ref, right: Ref) -> Outcome<Ref> {
    let [left, right] = [left, right].map(|it| if it.is_null() { &b"null"[..] } else { it.bytes() });
    let result = program::string_of_length(left.len() + right.len())?;
    // SAFETY: a new string of the length of both.
    unsafe {
        result.elements().copy_from_nonoverlapping(left.as_ptr(), left.len());
        result.elements().add(left.len()).copy_from_nonoverlapping(right.as_ptr(), right.len());
    }
    Ok(result)
}

pub(crate) fn string_length(string: Ref) -> Outcome<i32> {
    Ok(bytes_of(string)?.len() as i32)
}

fn out_of_bounds<T>(index: i64, length: usize) -> Outcome<T> {
    let message = format!("index {index} is not within a String of length {length}");
    raise(ExceptionKind::StringIndexOutOfBounds, &message)
}

pub(crate) fn string_char_at(string: Ref, index: i32) -> Outcome<Char> {
    let bytes = bytes_of(string)?;
    match usize::try_from(index).ok().and_then(|index| bytes.get(index)) {
        Some(byte) => Ok(Char(u32::from(*byte))),
        None => out_of_bounds(index.into(), bytes.len()),
    }
}

pub(crate) fn string_substring(string: Ref, start: i32, end: i32) -> Outcome<Ref> {
    let bytes = bytes_of(string)?;
    let wrong = if start < 0 || start as usize > bytes.len() { start } else { end };
    if start == 0 && end as usize == bytes.len() {
        return Ok(string);
    }
    match (usize::try_from(start), usize::try_from(end)) {
        (Ok(from), Ok(to)) if from <= to && to <= bytes.len() => program::string(&bytes[from..to]),
        _ => out_of_bounds(wrong.into(), bytes.len()),
    }
}

pub(crate) fn string_index_of(string: Ref, other: Ref, start: i32) -> Outcome<i32> {
    let (bytes, other) = (bytes_of(string)?, bytes_of(other)?);
    let start = start.max(0) as usize;
    if start > bytes.len() {
        return Ok(-1);
    }
    let found = match other {
        [byte] => memchr::memchr(*byte, &bytes[start..]),
        _ => memchr::memmem::find(&bytes[start..], other),
    };
    Ok(found.map_or(-1, |at| (start + at) as i32))
}

pub(crate) fn string_last_index_of(string: Ref, other: Ref, start: i32) -> Outcome<i32> {
    let (bytes, other) = (bytes_of(string)?, bytes_of(other)?);
    if start < 0 || other.len() > bytes.len() {
        return Ok(-1);
    }
    let last = (start as usize).min(bytes.len() - other.len());
    let found = memchr::memmem::rfind(&bytes[..last + other.len()], other);
    Ok(found.map_or(-1, |at| at as i32))
}

pub(crate) fn string_equals(string: Ref, other: Ref) -> Outcome<bool> {
    let string = non_null(string)?;
    Ok(string == other || (other.is_string() && string.bytes() == other.bytes()))
}

pub(crate) fn string_compare(string: Ref, other: Ref) -> Outcome<i32> {
    Ok(bytes_of(string)?.cmp(bytes_of(other)?) as i32)
}

pub(crate) fn string_hash(string: Ref) -> Outcome<i32> {
    // Four bytes at a time: their sum does not wait for the hash before them.
    const POWERS: [i32; 4] = [31 * 31 * 31, 31 * 31, 31, 1];
    let (parts, rest) = bytes_of(string)?.as_chunks::<4>();
    let sum =
        |part: &[u8; 4]| part.iter().zip(POWERS).map(|(byte, power)| i32::from(*byte) * power).sum::<i32>();
    let hash =
        parts.iter().fold(0_i32, |hash, part| hash.wrapping_mul(31 * POWERS[0]).wrapping_add(sum(part)));
    Ok(rest.iter().fold(hash, |hash, byte| hash.wrapping_mul(31).wrapping_add(i32::from(*byte))))
}

pub(crate) fn string_to_lower(string: Ref) -> Outcome<Ref> {
    program::string(non_null(string)?.text().to_lowercase().as_bytes())
}

pub(crate) fn string_to_upper(string: Ref) -> Outcome<Ref> {
    program::string(non_null(string)?.text().to_uppercase().as_bytes())
}

pub(crate) fn string_trim(string: Ref) -> Outcome<Ref> {
    let bytes = bytes_of(string)?;
    // As Java and X10: everything up to the space.
    let start = bytes.iter().position(|byte| *byte > b' ').unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| *byte > b' ').map_or(start, |last| last + 1);
    if (start, end) == (0, bytes.len()) { Ok(string) } else { program::string(&bytes[start..end]) }
}

pub(crate) fn string_from_bytes(rail: Ref, start: i64, count: i64) -> Outcome<Ref> {
    let (at, bytes) = range_of(rail, start, count)?;
    // SAFETY: the range was checked.
    program::string(unsafe { std::slice::from_raw_parts(at, bytes) })
}

pub(crate) fn string_from_chars(rail: Ref, start: i64, count: i64) -> Outcome<Ref> {
    let (at, bytes) = range_of(rail, start, count)?;
    // SAFETY: the range was checked; characters have four bytes.
    let characters = unsafe { std::slice::from_raw_parts(at.cast::<u32>(), bytes / 4) };
    if characters.iter().all(|it| *it < 128) {
        let result = program::string_of_length(characters.len())?;
        // SAFETY: a new string of that length.
        let to = unsafe { std::slice::from_raw_parts_mut(result.elements(), characters.len()) };
        to.iter_mut().zip(characters).for_each(|(to, from)| *to = *from as u8);
        return Ok(result);
    }
    let mut text = Vec::with_capacity(characters.len());
    for character in characters {
        super::characters::push(&mut text, Char(*character));
    }
    program::string(&text)
}

pub(crate) fn string_copy_bytes(string: Ref, rail: Ref, start: i64) -> Outcome<()> {
    let bytes = bytes_of(string)?;
    let (to, _) = range_of(rail, start, bytes.len() as i64)?;
    // SAFETY: the range was checked.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}
