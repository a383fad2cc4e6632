//! Characters beyond ASCII. All of them count as letters, as in X10's compiler, except for those that text
//! editors and keyboards substitute for X10's signs: these get an error with the sign that was meant.

use super::cursor::Cursor;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;

/// Ends the name that began at `start` before its first character that no name holds.
pub(super) fn end_name(cursor: &mut Cursor<'_>, start: usize) {
    let name = cursor.since(start);
    let length = name.find(|c| !is_letter(c)).unwrap_or(name.len());
    cursor.back_to(start + length);
}

fn is_letter(c: char) -> bool {
    c.is_ascii() || typographic(c).is_none() && meant(c).is_none()
}

/// A line for C's preprocessor, whose `#` is at `start`. Whether it is one; it is taken.
pub(super) fn directive(cursor: &mut Cursor<'_>, start: usize, errors: &mut Vec<SyntaxError>) -> bool {
    const WORDS: &[&str] = &["include", "define", "pragma", "ifdef", "ifndef", "if", "endif", "undef"];
    let word = cursor.rest().split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    if cursor.since(start) != "#" || !WORDS.contains(&word) {
        return false;
    }
    let instead = match word {
        "include" => "classes are imported: `import x10.util.ArrayList;`",
        "define" | "undef" => "a constant is a `static val` of a class",
        "pragma" => "activities are started by `async`, and waited for by `finish`",
        _ => "a condition that is known when the program starts is an `if` on a `static val`",
    };
    let message = format!("there is no preprocessor, and no `#{word}`");
    cursor.bump_while(|byte| byte != b'\n');
    errors.push(SyntaxError::new(cursor.range_from(start), message).with_hint(instead).as_gap());
    true
}

/// The token that a character beyond ASCII begins.
pub(super) fn token(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    let Some(c) = cursor.rest().chars().next() else { return SyntaxKind::ERROR_TOKEN };
    if let Some((close, quote)) = typographic(c) {
        return quotation(cursor, errors, close, quote);
    }
    let Some((kind, text)) = meant(c) else {
        cursor.bump_while(super::is_letter);
        end_name(cursor, start);
        return SyntaxKind::IDENT;
    };
    cursor.bump_char();
    let (range, code) = (cursor.range_from(start), format!("U+{:04X}", c as u32));
    let message = match text {
        " " => format!("this blank is not a space ({code})"),
        _ => format!("`{c}` ({code}) is not part of any token of X10"),
    };
    let hint = if text == " " { "write a space".to_owned() } else { format!("write `{text}`") };
    errors.push(SyntaxError::new(range, message).with_hint(hint).replaced_by(text));
    kind
}

/// What closes a quotation that `open` begins, X10's own quote last, and that quote.
fn typographic(open: char) -> Option<(&'static [char], char)> {
    match open {
        '“' | '”' | '„' | '«' => Some((&['”', '“', '»', '"'], '"')),
        '‘' | '’' => Some((&['’', '‘', '\''], '\'')),
        _ => None,
    }
}

/// A string or a character in quotes of a word processor. Like one in straight quotes it ends on its line, if
/// need be with it.
fn quotation(
    cursor: &mut Cursor<'_>,
    errors: &mut Vec<SyntaxError>,
    close: &[char],
    quote: char,
) -> SyntaxKind {
    let start = cursor.position();
    cursor.bump_char();
    let line = cursor.rest().split(['\n', '\r']).next().unwrap_or_default();
    let end = closing(line, &close[..close.len() - 1]).or_else(|| closing(line, close));
    let kind = if quote == '"' { SyntaxKind::STRING } else { SyntaxKind::CHAR };
    let message = "these quotes are not those of X10";
    cursor.bump_by(end.unwrap_or(line.len()));
    errors.push(match end {
        Some(end) => {
            cursor.bump_char();
            let straight = format!("{quote}{}{quote}", &line[..end]);
            SyntaxError::new(cursor.range_from(start), message)
                .with_hint(format!("write `{straight}`"))
                .replaced_by(straight)
        }
        None => SyntaxError::new(cursor.range_from(start), message)
            .with_hint(format!("write `{quote}...{quote}`")),
    });
    kind
}

/// Where the first of the quotes `close` without a backslash before it is.
fn closing(line: &str, close: &[char]) -> Option<usize> {
    let mut escaped = false;
    line.char_indices().find_map(|(at, c)| {
        let is_end = !escaped && close.contains(&c);
        escaped = !escaped && c == '\\';
        is_end.then_some(at)
    })
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
