//! Strings, characters and names in backquotes.

use super::cursor::Cursor;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use apg_source::{TextRange, TextSize};

pub(super) fn string(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    let mut ended = quoted(cursor, errors, b'"');
    if !ended
        && (is_native(cursor.before(start), cursor.since(start), cursor.rest())
            || continues_on_next_line(cursor.since(start), cursor.rest()))
    {
        while !ended && !cursor.at_end() {
            // The quote, or the break of a line.
            ended = quoted(cursor, errors, b'"');
        }
    }
    if !ended {
        unterminated(cursor, errors, start, "string", "\"");
    }
    SyntaxKind::STRING
}

/// Whether a string that did not end in its first `line` is one of several lines, as X10 has them, and not
/// one whose quote was forgotten: what follows its end then ends with another string open. Braces and `;` at
/// the end of a line are code, so that what a block is remains known by its text alone.
fn continues_on_next_line(line: &str, rest: &str) -> bool {
    if line.trim_end().ends_with([';', '{', '}']) {
        return false;
    }
    let mut bytes = rest.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'{' | b'}' => return false,
            b'\n' if rest[..at].trim_end().ends_with(';') => return false,
            b'"' => {
                let after = rest[at + 1..].split(['\n', '{', '}']).next().unwrap_or_default();
                return after.bytes().filter(|byte| *byte == b'"').count() % 2 == 0;
            }
            _ => {}
        }
    }
    false
}

/// Whether a string that did not end in its first line is the code of `@Native("c++", "...")`: in it braces
/// and `;` are not X10's. What precedes it is in the same block, so that a block's text alone still tells.
/// Where its first `line` closes the annotation, or a member of a class follows, the quote was forgotten.
fn is_native(before: &str, line: &str, rest: &str) -> bool {
    let language = before.trim_end().strip_suffix(',').and_then(|it| it.trim_end().strip_suffix('"'));
    let call = language.and_then(|it| it.trim_end_matches(|c: char| c != '"' && c != '\n').strip_suffix('"'));
    let name = call.and_then(|it| it.trim_end().strip_suffix('('));
    if !name.is_some_and(|it| it.trim_end().ends_with("@Native")) {
        return false;
    }
    let mut is_escaped = false;
    let end = rest.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.is_some_and(|end| {
        rest[end + 1..].trim_start().starts_with(')')
            && !closes_more(line)
            && !rest[..end].lines().any(is_member)
    })
}

/// Whether more parentheses are closed than opened.
fn closes_more(line: &str) -> bool {
    let mut open = 0_usize;
    line.bytes().any(|byte| match byte {
        b'(' => {
            open += 1;
            false
        }
        b')' if open == 0 => true,
        b')' => {
            open -= 1;
            false
        }
        _ => false,
    })
}

/// Whether a line of X10 starts a member of a class, as no line of C++ and Java does.
fn is_member(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.starts_with('@')
            || matches!(
                *word,
                "public" | "protected" | "private" | "static" | "final" | "abstract" | "native" | "property"
            )
    });
    let is_declared = matches!(words.next(), Some("def" | "val" | "var" | "class" | "interface"));
    // `val = 3;` is an assignment of C++.
    is_declared && words.next().is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

pub(super) fn identifier(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    if !quoted(cursor, errors, b'`') {
        unterminated(cursor, errors, start, "name", "`");
    }
    SyntaxKind::IDENT
}

pub(super) fn character(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    // `'` itself may not stand unescaped, but `'''` can mean nothing else.
    if cursor.rest().starts_with("'''") {
        cursor.bump_by(3);
        let error =
            SyntaxError::new(cursor.range_from(start), "a quote in a character literal needs a backslash");
        errors.push(error.with_hint("write `'\\''`"));
        return SyntaxKind::CHAR;
    }
    let old = errors.len();
    if !quoted(cursor, errors, b'\'') {
        unterminated(cursor, errors, start, "character", "'");
        return SyntaxKind::CHAR;
    }
    if errors.len() > old {
        return SyntaxKind::CHAR;
    }
    match crate::ast::unescape_char(cursor.since(start)) {
        Some(_) => {}
        None if cursor.since(start).contains("\\u") => errors.push(SyntaxError::new(
            cursor.range_from(start),
            "half of a surrogate pair is not a character; write both halves, or the character itself",
        )),
        None => {
            let error =
                SyntaxError::new(cursor.range_from(start), "a character literal has exactly one character");
            errors.push(error.with_hint("a string is written in double quotes"));
        }
    }
    SyntaxKind::CHAR
}

/// From quote to quote; false if the line or the text ends first, at which it then stands.
fn quoted(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>, quote: u8) -> bool {
    cursor.bump_by(1);
    loop {
        cursor.bump_while(|byte| byte != quote && !matches!(byte, b'\\' | b'\n' | b'\r'));
        if cursor.at_end() {
            return false;
        }
        match cursor.peek() {
            b'\\' => escape(cursor, errors),
            b'\n' | b'\r' => return false,
            _ => {
                cursor.bump_by(1);
                return true;
            }
        }
    }
}

fn escape(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) {
    let start = cursor.position();
    cursor.bump_by(1);
    match cursor.peek() {
        b'b' | b't' | b'n' | b'f' | b'r' | b'"' | b'\'' | b'\\' | b'`' => cursor.bump_by(1),
        b'0'..=b'7' => {
            let most = if cursor.peek() <= b'3' { 3 } else { 2 };
            let count = (0..most).take_while(|&it| matches!(cursor.peek_at(it), b'0'..=b'7')).count();
            cursor.bump_by(count);
        }
        b'u' => {
            cursor.bump_by(1);
            let count = (0..4).take_while(|&it| cursor.peek_at(it).is_ascii_hexdigit()).count();
            cursor.bump_by(count);
            if count < 4 {
                let error = SyntaxError::new(cursor.range_from(start), "`\\u` needs four hexadecimal digits");
                errors.push(error);
            }
        }
        b'\n' | b'\r' => {}
        _ if cursor.at_end() => {}
        _ => {
            cursor.bump_char();
            let message = format!("`{}` is not an escape of X10", cursor.since(start));
            let hint = "the escapes are \\b \\t \\n \\f \\r \\\" \\' \\\\, \\ with octal digits, and \\u with four hexadecimal ones";
            errors.push(SyntaxError::new(cursor.range_from(start), message).with_hint(hint));
        }
    }
}

fn unterminated(cursor: &Cursor<'_>, errors: &mut Vec<SyntaxError>, start: usize, what: &str, quote: &str) {
    // A broken escape on the same line is not worth an error of its own.
    errors.retain(|it| usize::from(it.range.start()) < start);
    let range = TextRange::at(TextSize::new(start as u32), TextSize::new(1));
    let range = range.cover(TextRange::empty(cursor.range_from(start).end()));
    let message = format!("this {what} has no closing `{quote}`");
    errors.push(SyntaxError::new(range, message).as_gap());
}
