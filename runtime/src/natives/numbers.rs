//! Numbers as text, and back.

use super::{raise, text_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::memory::Ref;
use crate::program;

pub fn string_from_bool(value: bool) -> Outcome<Ref> {
    program::string(if value { "true" } else { "false" })
}

pub fn string_from_i64(value: i64) -> Outcome<Ref> {
    program::string(value.to_string().as_bytes())
}

pub fn string_from_u64(value: u64) -> Outcome<Ref> {
    program::string(value.to_string().as_bytes())
}

/// Java's form of a number whose shortest digits are given as `d.ddde±x`: plain from 10^-3 to 10^7, else scientific.
fn java_form(scientific: &str) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    if !(-3..7).contains(&exponent) {
        let fraction = if digits.len() > 1 { &digits[1..] } else { "0" };
        return format!("{sign}{}.{fraction}E{exponent}", &digits[..1]);
    }
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{sign}{digits}{}.0", "0".repeat(whole - digits.len()));
    }
    format!("{sign}{}.{}", &digits[..whole], &digits[whole..])
}

/// `Double.toString()`.
pub fn double_text(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".into(),
        v if v.is_infinite() => if v > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        v => java_form(&format!("{v:e}")),
    }
}

/// `Float.toString()`.
pub fn float_text(value: f32) -> String {
    match value {
        v if v.is_nan() => "NaN".into(),
        v if v.is_infinite() => if v > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        v => java_form(&format!("{v:e}")),
    }
}

pub fn string_from_f32(value: f32) -> Outcome<Ref> {
    program::string(float_text(value).as_bytes())
}

pub fn string_from_f64(value: f64) -> Outcome<Ref> {
    program::string(double_text(value).as_bytes())
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

pub fn string_from_i64_radix(value: i64, radix: i32) -> Outcome<Ref> {
    radix_text(value.unsigned_abs(), value < 0, radix)
}

pub fn string_from_u64_radix(value: u64, radix: i32) -> Outcome<Ref> {
    radix_text(value, false, radix)
}

/// A number in hexadecimal; below 2^`least` it has no leading 1.
pub fn hexadecimal_text(value: f64, least: i32) -> String {
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

pub fn hex_string_from_f32(value: f32) -> Outcome<Ref> {
    program::string(hexadecimal_text(value.into(), -126).as_bytes())
}

pub fn hex_string_from_f64(value: f64) -> Outcome<Ref> {
    program::string(hexadecimal_text(value, -1022).as_bytes())
}

fn not_a_number<T>(text: &str) -> Outcome<T> {
    raise(ExceptionKind::NumberFormat, &format!("For input string: \"{text}\""))
}

pub fn parse_i64(string: Ref, radix: i32) -> Outcome<i64> {
    let text = text_of(string)?;
    let valid = (2..=36).contains(&radix);
    match i64::from_str_radix(&text, if valid { radix as u32 } else { 10 }) {
        Ok(value) if valid => Ok(value),
        _ => not_a_number(&text),
    }
}

pub fn parse_u64(string: Ref, radix: i32) -> Outcome<u64> {
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

pub fn parse_f64(string: Ref) -> Outcome<f64> {
    let text = text_of(string)?;
    match bare(&text).and_then(|text| text.parse().ok()) {
        Some(value) => Ok(value),
        None => not_a_number(&text),
    }
}

pub fn parse_f32(string: Ref) -> Outcome<f32> {
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

pub fn math_remainder(value: f64, of: f64) -> f64 {
    remainder(value, of)
}

pub fn math_scale(value: f64, exponent: i32) -> f64 {
    ldexp(value, exponent)
}
