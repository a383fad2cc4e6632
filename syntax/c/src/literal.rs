//! Constants (C17 6.4.4): integers, floating constants and characters with their suffixes and prefixes.

use crate::syntax_kind::SyntaxKind;

/// An integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerConstant {
    /// The value; 0 if it needs more than 128 bits.
    pub value: u128,
    /// A suffix `u`.
    pub is_unsigned: bool,
    /// How many `l` the suffix has.
    pub longs: u8,
    /// Not decimal: an unsigned type is a candidate without the suffix.
    pub is_decimal: bool,
    /// GNU: an imaginary value.
    pub is_imaginary: bool,
}

/// The kind of constant that a preprocessing number is; `None` if it is none.
pub(crate) fn number_kind(text: &str) -> Option<SyntaxKind> {
    if integer(text).is_some() {
        return Some(SyntaxKind::INT_NUMBER);
    }
    is_floating(text).then_some(SyntaxKind::FLOAT_NUMBER)
}

/// The integer that `text` is.
pub fn integer(text: &str) -> Option<IntegerConstant> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let mut suffix = suffix.to_ascii_lowercase();
    let is_imaginary = suffix.contains(['i', 'j']);
    suffix.retain(|it| !matches!(it, 'i' | 'j'));
    let (is_unsigned, longs) = match suffix.as_str() {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return None,
    };
    let value = u128::from_str_radix(digits, radix).unwrap_or(0);
    Some(IntegerConstant { value, is_unsigned, longs, is_decimal: radix == 10, is_imaginary })
}

fn is_floating(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let (is_hexadecimal, rest) = match lower.strip_prefix("0x") {
        Some(rest) => (true, rest),
        None => (false, lower.as_str()),
    };
    let is_digit = |c: char| if is_hexadecimal { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let end = rest.find(|c| !is_digit(c) && c != '.').unwrap_or(rest.len());
    let (mantissa, rest) = rest.split_at(end);
    let dots = mantissa.matches('.').count();
    if mantissa.len() == dots || dots > 1 {
        return false;
    }
    let (has_exponent, rest) = match rest.strip_prefix(if is_hexadecimal { 'p' } else { 'e' }) {
        Some(rest) => {
            let digits = rest.trim_start_matches(['+', '-']);
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            if end == 0 || rest.len() - digits.len() > 1 {
                return false;
            }
            (true, &digits[end..])
        }
        None => (false, rest),
    };
    if !has_exponent && (dots == 0 || is_hexadecimal) {
        return false;
    }
    let suffix = rest.trim_matches(['i', 'j']);
    matches!(
        suffix,
        "" | "f"
            | "l"
            | "q"
            | "w"
            | "d"
            | "df"
            | "dd"
            | "dl"
            | "f16"
            | "f32"
            | "f64"
            | "f128"
            | "f32x"
            | "f64x"
    )
}

/// The value of a floating constant, and its suffix in lower case without `i` and `j`.
pub fn floating(text: &str) -> Option<(f64, String)> {
    if !is_floating(text) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    if let Some(rest) = lower.strip_prefix("0x") {
        let (mantissa, exponent) = rest.split_once('p')?;
        let end = exponent.find(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '-'));
        let (exponent, suffix) = exponent.split_at(end.unwrap_or(exponent.len()));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.chars().chain(fraction.chars()).filter_map(|it| it.to_digit(16));
        let value = digits.fold(0.0, |value, digit| value * 16.0 + f64::from(digit));
        let power = exponent.parse::<i32>().ok()?.saturating_sub(4 * fraction.len() as i32);
        return Some((value * 2f64.powi(power), suffix.replace(['i', 'j'], "")));
    }
    let mut end = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    if lower[end..].starts_with('e') {
        let rest = lower[end + 1..].trim_start_matches(['+', '-']);
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        end = lower.len() - rest.len() + digits;
    }
    Some((lower[..end].parse().ok()?, lower[end..].replace(['i', 'j'], "")))
}

/// The value of a character constant; of several characters as in GCC.
pub fn character(text: &str) -> i64 {
    let is_wide = !text.starts_with('\'');
    let inside = text.split_once('\'').map_or("", |(_, rest)| rest.strip_suffix('\'').unwrap_or(rest));
    let values = string_units(inside, is_wide);
    match values[..] {
        [] => 0,
        [one] if is_wide => i64::from(one),
        [one] => i64::from(one as u8 as i8),
        _ => i64::from(values.iter().fold(0u32, |value, it| (value << 8) | (it & 0xff)) as i32),
    }
}

/// The characters of a literal's text without quotes: bytes, or code points if it is wide.
pub fn string_units(inside: &str, is_wide: bool) -> Vec<u32> {
    let mut out = Vec::new();
    let mut rest = inside;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let value = match c {
            '\\' => {
                let (value, used) = escape(rest);
                rest = &rest[used..];
                value
            }
            _ => Escape::Character(c),
        };
        match value {
            Escape::Character(c) if is_wide => out.push(c as u32),
            Escape::Character(c) => out.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
            Escape::Unit(unit) => out.push(unit),
        }
    }
    out
}

/// What an escape sequence gives.
enum Escape {
    Character(char),
    /// Octal and hexadecimal escapes are one unit, whatever it means.
    Unit(u32),
}

fn escape(rest: &str) -> (Escape, usize) {
    let Some(c) = rest.chars().next() else { return (Escape::Character('\\'), 0) };
    let hexadecimal = |from: usize, most: usize| {
        let digits = rest[from..].bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
        (u32::from_str_radix(&rest[from..from + digits], 16).unwrap_or(0), from + digits)
    };
    match c {
        'n' => (Escape::Character('\n'), 1),
        't' => (Escape::Character('\t'), 1),
        'r' => (Escape::Character('\r'), 1),
        'a' => (Escape::Character('\x07'), 1),
        'b' => (Escape::Character('\x08'), 1),
        'f' => (Escape::Character('\x0c'), 1),
        'v' => (Escape::Character('\x0b'), 1),
        'e' | 'E' => (Escape::Character('\x1b'), 1),
        'x' => {
            let (value, used) = hexadecimal(1, rest.len());
            (Escape::Unit(value), used)
        }
        'u' | 'U' => {
            let (value, used) = hexadecimal(1, if c == 'u' { 4 } else { 8 });
            (Escape::Character(char::from_u32(value).unwrap_or('\u{fffd}')), used)
        }
        '0'..='7' => {
            let digits = rest.bytes().take(3).take_while(|it| (b'0'..=b'7').contains(it)).count();
            (Escape::Unit(u32::from_str_radix(&rest[..digits], 8).unwrap_or(0)), digits)
        }
        _ => (Escape::Character(c), c.len_utf8()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_a_radix_and_suffixes() {
        let value = |text| integer(text).map(|it| (it.value, it.is_unsigned, it.longs, it.is_decimal));
        assert_eq!(value("42"), Some((42, false, 0, true)));
        assert_eq!(value("0x1FuLL"), Some((31, true, 2, false)));
        assert_eq!(value("017L"), Some((15, false, 1, false)));
        assert_eq!(value("0b101"), Some((5, false, 0, false)));
        assert_eq!(value("0"), Some((0, false, 0, false)));
        assert!(["09", "1.0", "1e5", "0x", "1lul", "12abc"].iter().all(|it| value(it).is_none()));
    }

    #[test]
    fn floating_constants_have_exponents_and_suffixes() {
        assert_eq!(floating("0x1.8p+3f"), Some((12.0, "f".into())));
        assert_eq!(floating("1e-2"), Some((0.01, String::new())));
        assert_eq!(floating("1.5F128"), Some((1.5, "f128".into())));
        assert_eq!(floating(".5i"), Some((0.5, String::new())));
        assert!(["1", "0x1.8", "1e", "1.2.3", ".", "1.0x"].iter().all(|it| floating(it).is_none()));
    }

    #[test]
    fn characters_have_escapes() {
        assert_eq!(character("'a'"), 97);
        assert_eq!(character(r"'\xff'"), -1);
        assert_eq!(character(r"'\0'"), 0);
        assert_eq!(character(r"L'\u20ac'"), 0x20ac);
        assert_eq!(character("'ab'"), 24930);
        assert_eq!(character(r"'\n'"), 10);
    }
}
