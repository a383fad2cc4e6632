//! Characters beyond ASCII. X10's compiler takes all of them for letters; here letters are those of Unicode's
//! identifiers, and what word processors and keyboards put in the place of X10's signs is named as what it is.

use unicode_ident::{is_xid_continue, is_xid_start};

use super::cursor::Cursor;
use crate::{SyntaxError, SyntaxKind};

/// Ends the name that began at `start` before its first character that no name holds.
pub(super) fn end_name(cursor: &mut Cursor<'_>, start: usize) {
    let name = cursor.since(start);
    let length = name.find(|c: char| c != '$' && !is_xid_continue(c)).unwrap_or(name.len());
    cursor.back_to(start + length);
}

/// The token that a character beyond ASCII begins.
pub(super) fn token(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    let Some(c) = cursor.rest().chars().next() else { return SyntaxKind::ERROR_TOKEN };
    if is_xid_start(c) {
        cursor.bump_while(super::is_letter);
        end_name(cursor, start);
        return SyntaxKind::IDENT;
    }
    if let Some((close, quote)) = typographic(c) {
        return quotation(cursor, errors, close, quote);
    }
    cursor.bump_char();
    let code = format!("U+{:04X}", c as u32);
    let range = cursor.range_from(start);
    let (kind, error) = match meant(c) {
        Some((kind, " ")) => {
            let error = SyntaxError::new(range, format!("this blank is not a space ({code})"));
            (kind, error.with_hint("write a space").replaced_by(" "))
        }
        Some((kind, text)) => {
            let error = SyntaxError::new(range, format!("`{c}` ({code}) is not part of any token of X10"));
            (kind, error.with_hint(format!("write `{text}`")).replaced_by(text))
        }
        None => {
            let text = format!("`{}` ({code}) is not part of any token of X10", c.escape_debug());
            (SyntaxKind::ERROR_TOKEN, SyntaxError::new(range, text))
        }
    };
    errors.push(error);
    kind
}

/// What closes a quotation that `open` begins, and X10's quote for it.
fn typographic(open: char) -> Option<(&'static [char], char)> {
    match open {
        '“' | '”' | '„' | '«' => Some((&['”', '“', '»', '"'], '"')),
        '‘' | '’' => Some((&['’', '‘', '\''], '\'')),
        _ => None,
    }
}

/// A string or a character in quotes of a word processor, on one line.
fn quotation(
    cursor: &mut Cursor<'_>,
    errors: &mut Vec<SyntaxError>,
    close: &[char],
    quote: char,
) -> SyntaxKind {
    let start = cursor.position();
    cursor.bump_char();
    let line = cursor.rest().lines().next().unwrap_or_default();
    let length = line.find(close);
    cursor.bump_by(length.unwrap_or(0));
    if length.is_some() {
        cursor.bump_char();
    }
    let range = cursor.range_from(start);
    let straight: String = match length {
        Some(length) => format!("{quote}{}{quote}", &line[..length]),
        None => quote.into(),
    };
    let kind = if quote == '"' { SyntaxKind::STRING } else { SyntaxKind::CHAR };
    let error = SyntaxError::new(range, "these quotes are not those of X10");
    errors.push(match length {
        Some(_) => error.with_hint(format!("write `{straight}`")).replaced_by(straight),
        None => error.with_hint(format!("write `{straight}`")),
    });
    if length.is_some() { kind } else { SyntaxKind::ERROR_TOKEN }
}

/// The token that `c` stands for, and how X10 writes it.
fn meant(c: char) -> Option<(SyntaxKind, &'static str)> {
    let kind = match c {
        '‐' | '‑' | '‒' | '–' | '—' | '−' | '－' => T![-],
        '×' | '∗' | '·' | '⋅' => T![*],
        '÷' | '∕' | '／' => T![/],
        '≤' | '⩽' => T![<=],
        '≥' | '⩾' => T![>=],
        '≠' => T![!=],
        '⇒' | '→' => T![=>],
        '∧' => T![&&],
        '∨' => T![||],
        '¬' => T![!],
        '…' => T![...],
        '，' => T![,],
        '；' | ';' => T![;],
        '：' => T![:],
        '（' => T!['('],
        '）' => T![')'],
        '［' => T!['['],
        '］' => T![']'],
        '｛' => T!['{'],
        '｝' => T!['}'],
        '＋' => T![+],
        '＝' => T![=],
        _ if c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}') => {
            return Some((SyntaxKind::WHITESPACE, " "));
        }
        _ => return None,
    };
    Some((kind, kind.text()?))
}
