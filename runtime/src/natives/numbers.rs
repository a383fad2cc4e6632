//! Numbers as text, and back.

use std::fmt::{self, Write};

use super::{raise, text_of};
use crate::abi::{Char, ExceptionKind, Outcome};
use crate::heap::Ref;
use crate::program;

pub(crate) fn string_from_bool(value: bool) -> Outcome<Ref> {
    program::string(if value { "true" } else { "false" })
}

pub(crate) fn string_from_i64(value: i64) -> Outcome<Ref> {
    program::string(Digits::with(|digits| digits.signed(value)).text())
}

pub(crate) fn string_from_u64(value: u64) -> Outcome<Ref> {
    program::string(Digits::with(|digits| digits.unsigned(value)).text())
}

/// The text of a number, without memory of its own.
#[derive(Debug)]
pub(crate) struct Digits {
    bytes: [u8; Self::ROOM],
    start: u8,
    end: u8,
}

impl Digits {
    /// The longest text is that of the least normal Double, `-2.2250738585072014E-308`.
    const ROOM: usize = 32;

    /// No text.
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; Self::ROOM], start: 0, end: 0 }
    }

    fn with(write: impl FnOnce(&mut Self)) -> Self {
        let mut digits = Self::new();
        write(&mut digits);
        digits
    }

    /// What was written last.
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes[self.start.into()..self.end.into()]
    }

    /// Decimal.
    pub(crate) fn unsigned(&mut self, value: u64) {
        self.decimal(value, false);
    }

    /// Decimal.
    pub(crate) fn signed(&mut self, value: i64) {
        self.decimal(value.unsigned_abs(), value < 0);
    }

    /// From the last digit to the first, two at once.
    fn decimal(&mut self, mut value: u64, negative: bool) {
        let mut at = Self::ROOM;
        while value >= 100 {
            at -= 2;
            self.pair(at, value % 100);
            value /= 100;
        }
        if value >= 10 {
            at -= 2;
            self.pair(at, value);
        } else {
            at -= 1;
            self.bytes[at] = b'0' + value as u8;
        }
        if negative {
            at -= 1;
            self.bytes[at] = b'-';
        }
        (self.start, self.end) = (at as u8, Self::ROOM as u8);
    }

    fn pair(&mut self, at: usize, value: u64) {
        self.bytes[at] = b'0' + (value / 10) as u8;
        self.bytes[at + 1] = b'0' + (value % 10) as u8;
    }

    /// Shortest decimal that reads back as the same Double.
    pub(crate) fn double(&mut self, value: f64) {
        self.real(value, |scientific| write!(scientific, "{value:e}"));
    }

    /// Shortest decimal that reads back as the same Float.
    pub(crate) fn float(&mut self, value: f32) {
        self.real(value.into(), |scientific| write!(scientific, "{value:e}"));
    }

    fn real(&mut self, value: f64, print: impl FnOnce(&mut Self) -> fmt::Result) {
        (self.start, self.end) = (0, 0);
        // What has no room is cut off, and all of it has.
        let _ = if value.is_nan() {
            self.write_str("NaN")
        } else if value.is_infinite() {
            self.write_str(if value > 0.0 { "Infinity" } else { "-Infinity" })
        } else {
            let mut scientific = Self::new();
            print(&mut scientific).and_then(|()| self.java_form(scientific.text()))
        };
    }

    /// Java's form of a number whose shortest digits are given as `d.ddde±x`: plain from 10^-3 to 10^7, else
    /// scientific.
    fn java_form(&mut self, scientific: &[u8]) -> fmt::Result {
        let scientific = std::str::from_utf8(scientific).unwrap_or_default();
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let mantissa = match mantissa.strip_prefix('-') {
            Some(rest) => {
                self.write_str("-")?;
                rest
            }
            None => mantissa,
        };
        let (first, others) = mantissa.split_at(1);
        let others = others.strip_prefix('.').unwrap_or(others);
        if !(-3..7).contains(&exponent) {
            let fraction = if others.is_empty() { "0" } else { others };
            return write!(self, "{first}.{fraction}E{exponent}");
        }
        if exponent < 0 {
            return write!(self, "0.{}{first}{others}", &"00"[..(-exponent - 1) as usize]);
        }
        let whole = exponent as usize;
        match others.split_at_checked(whole) {
            Some((whole, fraction)) if !fraction.is_empty() => write!(self, "{first}{whole}.{fraction}"),
            _ => write!(self, "{first}{others}{}.0", &"000000"[..whole - others.len()]),
        }
    }

    /// A character as UTF-8.
    pub(crate) fn character(&mut self, value: Char) {
        (self.start, self.end) = (0, 0);
        let value = char::from_u32(value.0).unwrap_or(char::REPLACEMENT_CHARACTER);
        let _ = self.write_char(value);
    }
}

impl fmt::Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let from = usize::from(self.end);
        let to = from + text.len();
        self.bytes.get_mut(from..to).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.end = to as u8;
        Ok(())
    }
}

/// `Double.toString()`.
pub(crate) fn double_text(value: f64) -> String {
    String::from_utf8_lossy(Digits::with(|digits| digits.double(value)).text()).into_owned()
}

/// `Float.toString()`.
pub(crate) fn float_text(value: f32) -> String {
    String::from_utf8_lossy(Digits::with(|digits| digits.float(value)).text()).into_owned()
}

pub(crate) fn string_from_f32(value: f32) -> Outcome<Ref> {
    program::string(Digits::with(|digits| digits.float(value)).text())
}

pub(crate) fn string_from_f64(value: f64) -> Outcome<Ref> {
    program::string(Digits::with(|digits| digits.double(value)).text())
}

fn radix_text(mut value: u64, negative: bool, radix: i32) -> Outcome<Ref> {
    if !(2..=36).contains(&radix) {
        return raise(ExceptionKind::IllegalArgument, &format!("radix {radix} is not within 2..36"));
    }
    let mut digits = Vec::new();
    loop {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(value % radix as u64) as usize]);
        value /= radix as u64;
        if value == 0 {
            break;
        }
    }
    if negative {
        digits.push(b'-');
    }
    digits.reverse();
    program::string(&digits)
}

pub(crate) fn string_from_i64_radix(value: i64, radix: i32) -> Outcome<Ref> {
    radix_text(value.unsigned_abs(), value < 0, radix)
}

pub(crate) fn string_from_u64_radix(value: u64, radix: i32) -> Outcome<Ref> {
    radix_text(value, false, radix)
}

/// A number in hexadecimal; below 2^`least` it has no leading 1.
pub(crate) fn hexadecimal_text(value: f64, least: i32) -> String {
    if !value.is_finite() {
        return double_text(value);
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let bits = value.to_bits() & !(1 << 63);
    if bits == 0 {
        return format!("{sign}0x0.0p0");
    }
    let fraction = bits & ((1 << 52) - 1);
    let exponent = (bits >> 52) as i32 - 1023;
    let (whole, fraction, exponent) = if exponent < least {
        // A subnormal of the type: its leading 1, if it is a normal Double, moves behind the point.
        let full = if exponent == -1023 { fraction } else { fraction | 1 << 52 };
        (0, full >> (least - exponent.max(-1022)), least)
    } else {
        (1, fraction, exponent)
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    format!("{sign}0x{whole}.{}p{exponent}", if digits.is_empty() { "0" } else { digits })
}

pub(crate) fn hex_string_from_f32(value: f32) -> Outcome<Ref> {
    program::string(hexadecimal_text(value.into(), -126).as_bytes())
}

pub(crate) fn hex_string_from_f64(value: f64) -> Outcome<Ref> {
    program::string(hexadecimal_text(value, -1022).as_bytes())
}

fn not_a_number<T>(text: &str) -> Outcome<T> {
    raise(ExceptionKind::NumberFormat, &format!("For input string: \"{text}\""))
}

pub(crate) fn parse_i64(string: Ref, radix: i32) -> Outcome<i64> {
    let text = text_of(string)?;
    let valid = (2..=36).contains(&radix);
    match i64::from_str_radix(&text, if valid { radix as u32 } else { 10 }) {
        Ok(value) if valid => Ok(value),
        _ => not_a_number(&text),
    }
}

pub(crate) fn parse_u64(string: Ref, radix: i32) -> Outcome<u64> {
    let text = text_of(string)?;
    let valid = (2..=36).contains(&radix);
    match u64::from_str_radix(&text, if valid { radix as u32 } else { 10 }) {
        Ok(value) if valid => Ok(value),
        _ => not_a_number(&text),
    }
}

/// The text without what Java allows around a floating-point number: white space, and a type letter.
fn bare(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = match text.as_bytes() {
        [.., digit, b'f' | b'F' | b'd' | b'D'] if digit.is_ascii_digit() || *digit == b'.' => {
            &text[..text.len() - 1]
        }
        _ => text,
    };
    // Rust also reads `inf` and `nan` in any case, Java only these.
    let word = text.trim_start_matches(['+', '-']);
    let plain = word.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    (plain || word == "NaN" || word == "Infinity").then_some(text)
}

pub(crate) fn parse_f64(string: Ref) -> Outcome<f64> {
    let text = text_of(string)?;
    match bare(&text).and_then(|text| text.parse().ok()) {
        Some(value) => Ok(value),
        None => not_a_number(&text),
    }
}

pub(crate) fn parse_f32(string: Ref) -> Outcome<f32> {
    let text = text_of(string)?;
    match bare(&text).and_then(|text| text.parse().ok()) {
        Some(value) => Ok(value),
        None => not_a_number(&text),
    }
}

unsafe extern "C" {
    safe fn remainder(value: f64, of: f64) -> f64;
    safe fn ldexp(value: f64, exponent: i32) -> f64;
}

pub(crate) fn math_remainder(value: f64, of: f64) -> f64 {
    remainder(value, of)
}

pub(crate) fn math_scale(value: f64, exponent: i32) -> f64 {
    ldexp(value, exponent)
}
