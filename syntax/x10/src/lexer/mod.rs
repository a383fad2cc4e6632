//! Lexer. Every byte belongs to exactly one token, so that the tokens together are the input. The longest
//! token wins, as in X10's lexer: `x>-1` is `x`, `>-`, `1`.

pub(crate) mod conflict;
mod cursor;
mod foreign;
mod number;
mod punct;
mod quoted;

use self::cursor::Cursor;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;
use apg_source::{TextRange, TextSize};

/// The tokens of a text.
#[derive(Default)]
pub(crate) struct Lexed {
    /// The kinds, trivia included.
    pub kinds: Vec<SyntaxKind>,
    /// Where each token starts; one more entry than there are tokens, the last the length of the text.
    pub starts: Vec<u32>,
    /// Malformed tokens.
    pub errors: Vec<SyntaxError>,
}

impl Lexed {
    /// The range of a token.
    pub(crate) fn range(&self, index: usize) -> TextRange {
        TextRange::new(TextSize::new(self.starts[index]), TextSize::new(self.starts[index + 1]))
    }
}

/// All tokens of `text`.
pub(crate) fn lex(text: &str) -> Lexed {
    let mut lexed = Lexed {
        kinds: Vec::with_capacity(text.len() / 3 + 8),
        starts: Vec::with_capacity(text.len() / 3 + 9),
        errors: Vec::new(),
    };
    let mut cursor = Cursor::new(text);
    // A byte order mark is white space at the start of a file, and a mistake elsewhere.
    if text.starts_with('\u{feff}') {
        lexed.starts.push(0);
        lexed.kinds.push(SyntaxKind::WHITESPACE);
        cursor.bump_by('\u{feff}'.len_utf8());
        cursor.bump_while(is_blank);
    }
    while !cursor.at_end() {
        let start = cursor.position();
        lexed.starts.push(start as u32);
        let kind = token(&mut cursor, &mut lexed.errors);
        lexed.kinds.push(kind);
    }
    lexed.starts.push(text.len() as u32);
    lexed
}

/// Where the first token of such a kind starts; the end of the text without one.
pub(crate) fn first(text: &str, wanted: impl Fn(SyntaxKind) -> bool) -> usize {
    let mut cursor = Cursor::new(text);
    let mut errors = Vec::new();
    while !cursor.at_end() {
        let start = cursor.position();
        if wanted(token(&mut cursor, &mut errors)) {
            return start;
        }
    }
    text.len()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0c)
}

fn is_letter(byte: u8) -> bool {
    LETTERS[byte as usize]
}

/// Letters, digits, `_`, `$`, and the bytes of characters beyond ASCII, which [`foreign`] tells apart.
const LETTERS: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric()
            || byte == b'_' as usize
            || byte == b'$' as usize
            || byte >= 0x80;
        byte += 1;
    }
    table
};

fn token(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    match cursor.peek() {
        b' ' | b'\t' | b'\r' | b'\n' | 0x0c => {
            cursor.bump_while(is_blank);
            SyntaxKind::WHITESPACE
        }
        b'a'..=b'z' => {
            name(cursor, start);
            SyntaxKind::from_keyword(cursor.since(start)).unwrap_or(SyntaxKind::IDENT)
        }
        b'A'..=b'Z' | b'_' | b'$' => {
            name(cursor, start);
            SyntaxKind::IDENT
        }
        0x80.. => foreign::token(cursor, errors),
        b'0'..=b'9' => number::number(cursor, errors),
        b'.' if cursor.peek_at(1).is_ascii_digit() => number::fraction(cursor),
        b'/' if cursor.peek_at(1) == b'/' => {
            cursor.bump_while(|byte| byte != b'\n' && byte != b'\r');
            SyntaxKind::LINE_COMMENT
        }
        b'/' if cursor.peek_at(1) == b'*' => comment(cursor, errors),
        b'<' if conflict::is_marker(cursor, b'<') => conflict::first_version(cursor, errors),
        sign @ (b'=' | b'|') if conflict::is_marker(cursor, sign) => conflict::other_versions(cursor),
        b'"' => quoted::string(cursor, errors),
        b'\'' => quoted::character(cursor, errors),
        b'`' => quoted::identifier(cursor, errors),
        _ => match punct::punct(cursor) {
            Some(kind) => kind,
            None => unknown(cursor, errors),
        },
    }
}

fn name(cursor: &mut Cursor<'_>, start: usize) {
    cursor.bump_while(is_letter);
    if !cursor.since(start).is_ascii() {
        foreign::end_name(cursor, start);
    }
}

/// `/* ... */`; comments do not nest.
fn comment(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    let rest = &cursor.rest()[2..];
    let kind = match rest {
        _ if rest.starts_with("*/") => SyntaxKind::BLOCK_COMMENT,
        _ if rest.starts_with('*') => SyntaxKind::DOC_COMMENT,
        _ => SyntaxKind::BLOCK_COMMENT,
    };
    match rest.find("*/") {
        Some(length) => cursor.bump_by(length + 4),
        None => {
            cursor.bump_by(rest.len() + 2);
            let opener = TextRange::at(TextSize::new(start as u32), TextSize::new(2));
            errors.push(
                SyntaxError::new(opener, "this comment has no end")
                    .with_hint("end it with `*/`; comments do not nest"),
            );
        }
    }
    kind
}

/// A run of characters that begin no token; one error for all.
fn unknown(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    cursor.bump_while(|byte| matches!(byte, b'#' | b'\\' | 0x7f) || (byte < 0x20 && !is_blank(byte)));
    if foreign::directive(cursor, start, errors) {
        return SyntaxKind::ERROR_TOKEN;
    }
    let text = cursor.since(start);
    let shown = text.chars().next().map(|c| c.escape_default().to_string()).unwrap_or_default();
    let shown = if text.starts_with('\\') { "\\".to_string() } else { shown };
    errors.push(
        SyntaxError::new(cursor.range_from(start), format!("`{shown}` is not part of any token of X10"))
            .as_gap(),
    );
    SyntaxKind::ERROR_TOKEN
}

#[cfg(test)]
mod tests;
