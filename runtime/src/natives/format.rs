//! `String.format`: the directives of C's `printf`, and some of Java's `Formatter`, for arguments in a
//! `Rail[Any]`.

use std::fmt::Write;

use super::{non_null, numbers, raise, text_of};
use crate::abi::{ExceptionKind, Outcome};
use crate::heap::Ref;
use crate::layout::{Kind, slot};
use crate::program;

/// A directive: `%`, flags, width, precision, conversion.
#[derive(Clone, Copy, Debug, Default)]
struct Directive {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    group: bool,
    width: usize,
    precision: Option<usize>,
    conversion: u8,
}

/// An argument.
#[derive(Clone, Debug)]
enum Argument {
    Integer { value: i128, bits: u32 },
    Real(f64),
    Single(f32),
    Character(u32),
    Boolean(bool),
    Other(Ref),
}

/// The expected type of a conversion, for the message of the exception.
struct Mismatch(&'static str);

pub(crate) fn string_format(format: Ref, arguments: Ref) -> Outcome<Ref> {
    let text = text_of(format)?;
    let arguments = non_null(arguments)?;
    let mut out = String::new();
    let mut rest: &str = &text;
    let mut next = 0;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let Some((directive, length)) = parse(&rest.as_bytes()[at + 1..]) else {
            let message = format!("`{}` in the format \"{text}\" is no conversion", excerpt(&rest[at..]));
            return raise(ExceptionKind::IllegalArgument, &message);
        };
        let whole = &rest[at..at + 1 + length];
        rest = &rest[at + 1 + length..];
        match directive.conversion {
            b'%' => out.push('%'),
            b'n' => out.push('\n'),
            _ => {
                if next >= arguments.length() {
                    let message = format!(
                        "the format \"{text}\" needs more than the {next} arguments given (at `{whole}`)"
                    );
                    return raise(ExceptionKind::IllegalArgument, &message);
                }
                let argument = argument(arguments.element(next));
                next += 1;
                if let Err(Mismatch(expected)) = convert(&mut out, directive, &argument)? {
                    let found = describe(arguments.element(next - 1));
                    let message =
                        format!("`{whole}` wants {expected}; argument {next} of \"{text}\" is {found}");
                    return raise(ExceptionKind::IllegalArgument, &message);
                }
            }
        }
    }
    out.push_str(rest);
    program::string(out.as_bytes())
}

fn excerpt(text: &str) -> String {
    text.chars().take(8).collect()
}

fn describe(object: Ref) -> String {
    if object.is_null() { "null".into() } else { format!("of type {}", object.ty().name()) }
}

/// Parses a directive after its `%`; also returns its length in bytes.
fn parse(bytes: &[u8]) -> Option<(Directive, usize)> {
    let mut directive = Directive::default();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'-' => directive.left = true,
            b'+' => directive.plus = true,
            b' ' => directive.space = true,
            b'0' => directive.zero = true,
            b'#' => directive.alternate = true,
            b',' => directive.group = true,
            _ => break,
        }
        at += 1;
    }
    directive.width = number(bytes, &mut at)?.unwrap_or(0);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        directive.precision = Some(number(bytes, &mut at)?.unwrap_or(0));
    }
    // Length modifiers of C are ignored: arguments have their types.
    while matches!(bytes.get(at)?, b'l' | b'h' | b'L' | b'q' | b'j' | b'z' | b't') {
        at += 1;
    }
    directive.conversion = *bytes.get(at)?;
    let known = b"diuxXobBcCsSeEfFgGaA%n".contains(&directive.conversion);
    known.then_some((directive, at + 1))
}

/// Parses a decimal number, if there is one; `None` if it is too large.
fn number(bytes: &[u8], at: &mut usize) -> Option<Option<usize>> {
    let start = *at;
    let mut value = 0_usize;
    while let Some(digit) = bytes.get(*at).filter(|byte| byte.is_ascii_digit()) {
        value = value * 10 + usize::from(digit - b'0');
        *at += 1;
        if value > 1 << 20 {
            return None;
        }
    }
    Some((*at > start).then_some(value))
}

/// Classifies an element of the rail, and unboxes it.
fn argument(object: Ref) -> Argument {
    if object.is_null() || object.ty().kind != Kind::Boxed as u32 {
        return Argument::Other(object);
    }
    let Some(field) = object.ty().fields().iter().find(|field| field.name() == "value") else {
        return Argument::Other(object);
    };
    let at = object.at(field.offset as usize);
    let integer = |value: i128, bits| Argument::Integer { value, bits };
    // SAFETY: a field of the object, of the type that its slot says.
    unsafe {
        match field.slot {
            slot::BOOL => Argument::Boolean(at.read() != 0),
            1 => integer(at.cast::<i8>().read().into(), 8),
            2 => integer(at.cast::<i16>().read().into(), 16),
            slot::I32 => integer(at.cast::<i32>().read().into(), 32),
            slot::I64 => integer(at.cast::<i64>().read().into(), 64),
            5 => integer(at.read().into(), 8),
            6 => integer(at.cast::<u16>().read().into(), 16),
            7 => integer(at.cast::<u32>().read().into(), 32),
            8 => integer(at.cast::<u64>().read().into(), 64),
            slot::F32 => Argument::Single(at.cast::<f32>().read()),
            slot::F64 => Argument::Real(at.cast::<f64>().read()),
            slot::CHAR => Argument::Character(at.cast::<u32>().read()),
            _ => Argument::Other(object),
        }
    }
}

fn convert(out: &mut String, directive: Directive, argument: &Argument) -> Outcome<Result<(), Mismatch>> {
    let upper = directive.conversion.is_ascii_uppercase();
    let text = match directive.conversion.to_ascii_lowercase() {
        b'd' | b'i' | b'u' => match argument {
            Argument::Integer { value, .. } => decimal(directive, *value),
            Argument::Character(value) => decimal(directive, (*value).into()),
            _ => return Ok(Err(Mismatch("an integer"))),
        },
        b'x' | b'o' => match argument {
            Argument::Integer { value, bits } => unsigned(directive, *value, *bits),
            Argument::Character(value) => unsigned(directive, (*value).into(), 32),
            _ => return Ok(Err(Mismatch("an integer"))),
        },
        b'c' => match argument {
            Argument::Character(value) => {
                char::from_u32(*value).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
            }
            Argument::Integer { value, .. } => {
                let code = u32::try_from(*value).ok().and_then(char::from_u32);
                code.unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
            }
            _ => return Ok(Err(Mismatch("a character"))),
        },
        b'b' => shortened(directive, truth(argument)),
        b's' => shortened(directive, text_of_any(argument)?),
        conversion => match real_of(argument) {
            Some(value) => real(directive, conversion, value),
            None => return Ok(Err(Mismatch("a number"))),
        },
    };
    let text = if upper { text.to_uppercase() } else { text };
    pad(out, directive, &text);
    Ok(Ok(()))
}

fn truth(argument: &Argument) -> String {
    match argument {
        Argument::Boolean(value) => value.to_string(),
        Argument::Other(object) => (!object.is_null()).to_string(),
        _ => "true".into(),
    }
}

fn text_of_any(argument: &Argument) -> Outcome<String> {
    Ok(match argument {
        Argument::Integer { value, .. } => value.to_string(),
        Argument::Real(value) => numbers::double_text(*value),
        Argument::Single(value) => numbers::float_text(*value),
        Argument::Character(value) => {
            char::from_u32(*value).unwrap_or(char::REPLACEMENT_CHARACTER).to_string()
        }
        Argument::Boolean(value) => value.to_string(),
        Argument::Other(object) if object.is_null() => "null".into(),
        Argument::Other(object) => program::to_string(*object)?,
    })
}

fn real_of(argument: &Argument) -> Option<f64> {
    match argument {
        Argument::Real(value) => Some(*value),
        Argument::Single(value) => Some((*value).into()),
        Argument::Integer { value, .. } => Some(*value as f64),
        _ => None,
    }
}

/// Text cut to the precision.
fn shortened(directive: Directive, text: String) -> String {
    match directive.precision {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}

fn sign(directive: Directive, negative: bool) -> &'static str {
    match (negative, directive.plus, directive.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

/// Digits before the point in groups of three.
fn grouped(digits: &str) -> String {
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + fraction
}

fn decimal(directive: Directive, value: i128) -> String {
    let mut digits = format!("{:0>1$}", value.unsigned_abs(), directive.precision.unwrap_or(1));
    if directive.group {
        digits = grouped(&digits);
    }
    format!("{}{digits}", sign(directive, value < 0))
}

fn unsigned(directive: Directive, value: i128, bits: u32) -> String {
    let value = value as u128 & ((1 << bits) - 1);
    let precision = directive.precision.unwrap_or(1);
    if directive.conversion == b'o' {
        let prefix = if directive.alternate { "0" } else { "" };
        format!("{prefix}{value:0>precision$o}")
    } else {
        let prefix = if directive.alternate && value != 0 { "0x" } else { "" };
        format!("{prefix}{value:0>precision$x}")
    }
}

fn real(directive: Directive, conversion: u8, value: f64) -> String {
    let prefix = sign(directive, value.is_sign_negative() && !value.is_nan());
    if !value.is_finite() {
        let word = if value.is_nan() { "NaN" } else { "Infinity" };
        return format!("{prefix}{word}");
    }
    let magnitude = value.abs();
    let precision = directive.precision.unwrap_or(6);
    let mut digits = match conversion {
        b'e' => scientific(magnitude, precision),
        b'g' => general(magnitude, precision.max(1), directive.alternate),
        b'a' => numbers::hexadecimal_text(magnitude, -1022),
        _ => format!("{magnitude:.precision$}"),
    };
    if directive.group && conversion == b'f' {
        digits = grouped(&digits);
    }
    format!("{prefix}{digits}")
}

/// `d.ddde+xx`.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// The shorter of the two forms with that many digits, without zeros at the end.
fn general(value: f64, precision: usize, keep_zeros: bool) -> String {
    let text = format!("{value:.0$e}", precision - 1);
    let exponent: i32 = text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let trim = |digits: &str| match digits.contains('.') && !keep_zeros {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits.to_owned(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let text = scientific(value, precision - 1);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        return format!("{}e{exponent}", trim(mantissa));
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{value:.decimals$}"))
}

/// Fills up to the width; zeros go between the sign and the digits.
fn pad(out: &mut String, directive: Directive, text: &str) {
    let missing = directive.width.saturating_sub(text.chars().count());
    let numeric = b"diuxXoeEfFgGaA".contains(&directive.conversion);
    let digits = text.trim_start_matches(['+', '-', ' ']);
    let zeros =
        directive.zero && !directive.left && numeric && digits.starts_with(|c: char| c.is_ascii_digit());
    let result = if directive.left {
        write!(out, "{text}{:missing$}", "")
    } else if zeros {
        let sign = &text[..text.len() - digits.len()];
        let (prefix, digits) = match digits.strip_prefix("0x") {
            Some(rest) => ("0x", rest),
            None => ("", digits),
        };
        write!(out, "{sign}{prefix}{:0>missing$}{digits}", "")
    } else {
        write!(out, "{:missing$}{text}", "")
    };
    debug_assert!(result.is_ok(), "text can be written to a string");
}
