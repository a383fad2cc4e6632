//! Lexer: preprocessing tokens of C17 (6.4) with the extensions of GNU C, lossless. Trigraphs stay as they
//! are written; line splices inside of a token belong to it.

mod cursor;
mod keywords;
mod punct;
#[cfg(test)]
mod tests;

use self::cursor::Cursor;
pub(crate) use self::keywords::KEYWORD_SPELLINGS;
use crate::syntax_kind::SyntaxKind;

/// The tokens of a text, trivia too: they follow each other without gaps.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lexed {
    /// The kind of each token. Keywords are names here.
    pub kinds: Vec<SyntaxKind>,
    /// Where each token starts, in bytes, and the length of the text.
    pub starts: Vec<u32>,
}

impl Lexed {
    /// The byte range of the token at `index`.
    pub fn range(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize
    }
}

/// Splits `text` into tokens. A quote without its other one is an [`ERROR_TOKEN`](SyntaxKind::ERROR_TOKEN) up
/// to the end of the line. A text of 4 GiB or more is cut there.
pub fn lex(text: &str) -> Lexed {
    let mut lexed =
        Lexed { kinds: Vec::with_capacity(text.len() / 3), starts: Vec::with_capacity(text.len() / 3 + 1) };
    let mut cursor = Cursor::new(&text.as_bytes()[..text.len().min(u32::MAX as usize)]);
    while !cursor.at_end() {
        lexed.starts.push(cursor.position() as u32);
        lexed.kinds.push(token(&mut cursor));
    }
    lexed.starts.push(cursor.position() as u32);
    lexed
}

/// The tokens of a text one by one, with their byte ranges.
pub fn tokens(text: &str) -> impl Iterator<Item = (SyntaxKind, std::ops::Range<usize>)> + '_ {
    let mut cursor = Cursor::new(&text.as_bytes()[..text.len().min(u32::MAX as usize)]);
    std::iter::from_fn(move || {
        let start = cursor.position();
        (!cursor.at_end()).then(|| (token(&mut cursor), start..cursor.position()))
    })
}

/// Removes the line splices of a token's text.
pub(crate) fn without_splices(text: &str) -> String {
    let mut cursor = Cursor::new(text.as_bytes());
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = cursor.peek() {
        out.push(byte);
        cursor.bump();
    }
    // Splices are ASCII: between them the text is still UTF-8.
    String::from_utf8(out).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn token(cursor: &mut Cursor<'_>) -> SyntaxKind {
    use SyntaxKind::*;
    if cursor.position() == 0 && cursor.rest().starts_with("\u{feff}".as_bytes()) {
        cursor.advance(3);
        return WHITESPACE;
    }
    if cursor.skip_splice() {
        whitespace(cursor);
        return WHITESPACE;
    }
    let Some(first) = cursor.peek() else { return WHITESPACE };
    match first {
        b'\n' => {
            cursor.advance(1);
            NEWLINE
        }
        b'\r' if cursor.rest().get(1) == Some(&b'\n') => {
            cursor.advance(2);
            NEWLINE
        }
        b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r' => {
            whitespace(cursor);
            WHITESPACE
        }
        b'0'..=b'9' => number(cursor),
        b'L' | b'u' | b'U' if quote_after_prefix(cursor) => {
            while !matches!(cursor.peek(), Some(b'"' | b'\'')) {
                cursor.bump();
            }
            quoted(cursor)
        }
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => name(cursor),
        b'\\' if is_universal_character(cursor) => name(cursor),
        b'"' | b'\'' => quoted(cursor),
        b'.' => {
            let mut ahead = cursor.clone();
            ahead.bump();
            match ahead.peek() {
                Some(b'0'..=b'9') => number(cursor),
                _ => punct::punct(cursor),
            }
        }
        b'/' => {
            let mut ahead = cursor.clone();
            ahead.bump();
            match ahead.peek() {
                Some(b'/') => line_comment(cursor),
                Some(b'*') => block_comment(cursor),
                _ => punct::punct(cursor),
            }
        }
        _ => punct::punct(cursor),
    }
}

fn whitespace(cursor: &mut Cursor<'_>) {
    loop {
        match cursor.peek() {
            Some(b' ' | b'\t' | b'\x0b' | b'\x0c') => cursor.bump(),
            Some(b'\r') if cursor.rest().get(1) != Some(&b'\n') => cursor.bump(),
            _ => return,
        }
    }
}

/// A preprocessing number (C17 6.4.8).
fn number(cursor: &mut Cursor<'_>) -> SyntaxKind {
    while let Some(byte) = cursor.peek() {
        match byte {
            b'e' | b'E' | b'p' | b'P' => {
                cursor.bump();
                if matches!(cursor.peek(), Some(b'+' | b'-')) {
                    cursor.bump();
                }
            }
            b'0'..=b'9' | b'.' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => cursor.bump(),
            b'\\' if is_universal_character(cursor) => cursor.bump(),
            _ => break,
        }
    }
    SyntaxKind::PP_NUMBER
}

fn name(cursor: &mut Cursor<'_>) -> SyntaxKind {
    while let Some(byte) = cursor.peek() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | 0x80.. => cursor.bump(),
            b'\\' if is_universal_character(cursor) => cursor.bump(),
            _ => break,
        }
    }
    SyntaxKind::IDENT
}

/// Whether `\u` and four or `\U` and eight hexadecimal digits follow.
fn is_universal_character(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let digits = match rest.get(1) {
        Some(b'u') => 4,
        Some(b'U') => 8,
        _ => return false,
    };
    rest.get(2..2 + digits).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit))
}

/// Whether a prefix of a literal and then a quote follow: `L"`, `u8"`, `U'`.
fn quote_after_prefix(cursor: &Cursor<'_>) -> bool {
    let mut ahead = cursor.clone();
    let first = ahead.peek();
    ahead.bump();
    if first == Some(b'u') && ahead.peek() == Some(b'8') {
        ahead.bump();
        return ahead.peek() == Some(b'"');
    }
    matches!(ahead.peek(), Some(b'"' | b'\''))
}

fn quoted(cursor: &mut Cursor<'_>) -> SyntaxKind {
    let quote = cursor.peek();
    cursor.bump();
    loop {
        match cursor.peek() {
            None | Some(b'\n') => return SyntaxKind::ERROR_TOKEN,
            Some(b'\r') if cursor.rest().get(1) == Some(&b'\n') => return SyntaxKind::ERROR_TOKEN,
            Some(b'\\') => {
                cursor.bump();
                if !matches!(cursor.peek(), None | Some(b'\n' | b'\r')) {
                    cursor.bump();
                }
            }
            byte => {
                cursor.bump();
                if byte == quote {
                    break;
                }
            }
        }
    }
    if quote == Some(b'"') { SyntaxKind::STRING } else { SyntaxKind::CHAR }
}

fn line_comment(cursor: &mut Cursor<'_>) -> SyntaxKind {
    while !matches!(cursor.peek(), None | Some(b'\n')) {
        if cursor.rest().starts_with(b"\r\n") {
            break;
        }
        cursor.bump();
    }
    SyntaxKind::LINE_COMMENT
}

fn block_comment(cursor: &mut Cursor<'_>) -> SyntaxKind {
    cursor.bump();
    cursor.bump();
    loop {
        let star = cursor.peek() == Some(b'*');
        if cursor.at_end() {
            return SyntaxKind::ERROR_TOKEN;
        }
        cursor.bump();
        if star && cursor.peek() == Some(b'/') {
            cursor.bump();
            return SyntaxKind::BLOCK_COMMENT;
        }
    }
}
