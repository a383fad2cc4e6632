//! Number literals. `1..n` is `1`, `..`, `n`; `1.foo` is `1.f`, `oo`; `1.5.foo` is `1.5`, `.`, `foo`.

use super::cursor::Cursor;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;

/// A number that starts with a digit.
pub(super) fn number(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    if cursor.peek() == b'0' {
        match cursor.peek_at(1) {
            b'x' | b'X' => return prefixed(cursor, errors, |byte| byte.is_ascii_hexdigit(), "hexadecimal"),
            b'b' | b'B' => return prefixed(cursor, errors, |byte| matches!(byte, b'0' | b'1'), "binary"),
            _ => {}
        }
    }
    let start = cursor.position();
    digits(cursor, |byte| byte.is_ascii_digit());
    if cursor.peek() == b'.' && is_fraction(cursor) {
        cursor.bump_by(1);
        digits(cursor, |byte| byte.is_ascii_digit());
        exponent(cursor);
        float_suffix(cursor);
        return SyntaxKind::FLOAT_NUMBER;
    }
    if exponent(cursor) | float_suffix(cursor) {
        return SyntaxKind::FLOAT_NUMBER;
    }
    let text = cursor.since(start);
    let wrong = text.starts_with('0').then(|| text.find(['8', '9'])).flatten();
    if let Some(at) = wrong {
        let digit = &text[at..=at];
        let message = format!("`{digit}` is not an octal digit, and a number that starts with 0 is octal");
        errors.push(
            SyntaxError::new(cursor.range_from(start), message).with_hint("drop the leading 0, or write 0x"),
        );
    }
    int_suffix(cursor);
    SyntaxKind::INT_NUMBER
}

/// `.5`, at the dot.
pub(super) fn fraction(cursor: &mut Cursor<'_>) -> SyntaxKind {
    cursor.bump_by(1);
    digits(cursor, |byte| byte.is_ascii_digit());
    exponent(cursor);
    float_suffix(cursor);
    SyntaxKind::FLOAT_NUMBER
}

/// Whether the dot here belongs to the number before it.
fn is_fraction(cursor: &Cursor<'_>) -> bool {
    match cursor.peek_at(1) {
        b'f' | b'F' | b'd' | b'D' => true,
        b'e' | b'E' => has_exponent(cursor, 1),
        b'.' | b'_' | b'`' => false,
        byte => !byte.is_ascii_alphabetic(),
    }
}

fn prefixed(
    cursor: &mut Cursor<'_>,
    errors: &mut Vec<SyntaxError>,
    is_digit: impl Fn(u8) -> bool,
    radix: &str,
) -> SyntaxKind {
    let start = cursor.position();
    cursor.bump_by(2);
    if digits(cursor, is_digit) {
        int_suffix(cursor);
        return SyntaxKind::INT_NUMBER;
    }
    // What follows was meant to be digits: one token and one error for all of it.
    cursor.bump_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let text = cursor.since(start);
    errors.push(SyntaxError::new(cursor.range_from(start), format!("`{text}` has no {radix} digits")));
    SyntaxKind::INT_NUMBER
}

/// Digits with underscores between them; whether there were any.
fn digits(cursor: &mut Cursor<'_>, is_digit: impl Fn(u8) -> bool) -> bool {
    let mut length = 0;
    let mut ahead = 0;
    loop {
        let byte = cursor.peek_at(ahead);
        if is_digit(byte) {
            ahead += 1;
            length = ahead;
        } else if byte == b'_' && length > 0 {
            ahead += 1;
        } else {
            break;
        }
    }
    cursor.bump_by(length);
    length > 0
}

fn has_exponent(cursor: &Cursor<'_>, at: usize) -> bool {
    matches!(cursor.peek_at(at), b'e' | b'E')
        && match cursor.peek_at(at + 1) {
            b'+' | b'-' => cursor.peek_at(at + 2).is_ascii_digit(),
            byte => byte.is_ascii_digit(),
        }
}

fn exponent(cursor: &mut Cursor<'_>) -> bool {
    if !has_exponent(cursor, 0) {
        return false;
    }
    let sign = usize::from(matches!(cursor.peek_at(1), b'+' | b'-'));
    cursor.bump_by(1 + sign);
    digits(cursor, |byte| byte.is_ascii_digit());
    true
}

fn float_suffix(cursor: &mut Cursor<'_>) -> bool {
    let found = matches!(cursor.peek(), b'f' | b'F' | b'd' | b'D');
    if found {
        cursor.bump_by(1);
    }
    found
}

/// `l n s y`, with `u` before or after; `u` alone; and `?u`, an oddity of X10's lexer.
fn int_suffix(cursor: &mut Cursor<'_>) {
    let is_width = |byte: u8| matches!(byte.to_ascii_lowercase(), b'l' | b'n' | b's' | b'y');
    let is_unsigned = |byte: u8| matches!(byte, b'u' | b'U');
    let (a, b) = (cursor.peek(), cursor.peek_at(1));
    let length = match () {
        () if is_unsigned(a) => 1 + usize::from(is_width(b)),
        () if is_width(a) => 1 + usize::from(is_unsigned(b)),
        () if a == b'?' && is_unsigned(b) => 2,
        () => 0,
    };
    cursor.bump_by(length);
}
