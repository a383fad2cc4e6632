//! Brackets, separators and operators.

use super::cursor::Cursor;
use crate::syntax_kind::SyntaxKind;

/// The longest token of punctuation here.
pub(super) fn punct(cursor: &mut Cursor<'_>) -> Option<SyntaxKind> {
    let (kind, length) = longest(cursor.peek(), cursor.peek_at(1), cursor.peek_at(2), cursor.peek_at(3))?;
    cursor.bump_by(length);
    Some(kind)
}

fn longest(a: u8, b: u8, c: u8, d: u8) -> Option<(SyntaxKind, usize)> {
    Some(match (a, b) {
        (b'(', _) => (T!['('], 1),
        (b')', _) => (T![')'], 1),
        (b'[', _) => (T!['['], 1),
        (b']', _) => (T![']'], 1),
        (b'{', _) => (T!['{'], 1),
        (b'}', _) => (T!['}'], 1),
        (b',', _) => (T![,], 1),
        (b';', _) => (T![;], 1),
        (b'?', _) => (T![?], 1),
        (b'@', _) => (T![@], 1),
        (b':', b'>') => (T![:>], 2),
        (b':', _) => (T![:], 1),
        (b'.', b'.') if c == b'.' => (T![...], 3),
        (b'.', b'.') if c == b'=' => (T![..=], 3),
        (b'.', b'.') => (T![..], 2),
        (b'.', _) => (T![.], 1),
        (b'=', b'=') => (T![==], 2),
        (b'=', b'>') => (T![=>], 2),
        (b'=', _) => (T![=], 1),
        (b'<', _) => return Some(less(b, c)),
        (b'>', _) => return Some(greater(b, c, d)),
        (b'+' | b'-' | b'*' | b'/' | b'%', _) => return Some(arithmetic(a, b, c)),
        _ => return logical(a, b),
    })
}

fn less(b: u8, c: u8) -> (SyntaxKind, usize) {
    match (b, c) {
        (b'<', b'=') => (T![<<=], 3),
        (b'<', _) => (T![<<], 2),
        (b'=', _) => (T![<=], 2),
        (b':', _) => (T![<:], 2),
        (b'-', b'=') => (T![<-=], 3),
        (b'-', _) => (T![<-], 2),
        (b'>', b'=') => (T![<>=], 3),
        (b'>', _) => (T![<>], 2),
        _ => (T![<], 1),
    }
}

fn greater(b: u8, c: u8, d: u8) -> (SyntaxKind, usize) {
    match (b, c, d) {
        (b'>', b'>', b'=') => (T![>>>=], 4),
        (b'>', b'>', _) => (T![>>>], 3),
        (b'>', b'=', _) => (T![>>=], 3),
        (b'>', ..) => (T![>>], 2),
        (b'=', ..) => (T![>=], 2),
        (b'-', b'=', _) => (T![>-=], 3),
        (b'-', ..) => (T![>-], 2),
        (b'<', b'=', _) => (T![><=], 3),
        (b'<', ..) => (T![><], 2),
        _ => (T![>], 1),
    }
}

fn arithmetic(a: u8, b: u8, c: u8) -> (SyntaxKind, usize) {
    match (a, b, c) {
        (b'+', b'+', _) => (T![++], 2),
        (b'+', b'=', _) => (T![+=], 2),
        (b'+', ..) => (T![+], 1),
        (b'-', b'-', _) => (T![--], 2),
        (b'-', b'=', _) => (T![-=], 2),
        (b'-', b'>', b'=') => (T![->=], 3),
        (b'-', b'>', _) => (T![->], 2),
        (b'-', b'<', b'=') => (T![-<=], 3),
        (b'-', b'<', _) => (T![-<], 2),
        (b'-', ..) => (T![-], 1),
        (b'*', b'*', b'=') => (T![**=], 3),
        (b'*', b'*', _) => (T![**], 2),
        (b'*', b'=', _) => (T![*=], 2),
        (b'*', ..) => (T![*], 1),
        (b'/', b'=', _) => (T![/=], 2),
        (b'/', ..) => (T![/], 1),
        (_, b'=', _) => (T![%=], 2),
        _ => (T![%], 1),
    }
}

fn logical(a: u8, b: u8) -> Option<(SyntaxKind, usize)> {
    Some(match (a, b) {
        (b'!', b'=') => (T![!=], 2),
        (b'!', b'~') => (T![!~], 2),
        (b'!', _) => (T![!], 1),
        (b'&', b'&') => (T![&&], 2),
        (b'&', b'=') => (T![&=], 2),
        (b'&', _) => (T![&], 1),
        (b'|', b'|') => (T![||], 2),
        (b'|', b'=') => (T![|=], 2),
        (b'|', _) => (T![|], 1),
        (b'^', b'=') => (T![^=], 2),
        (b'^', _) => (T![^], 1),
        (b'~', b'=') => (T![~=], 2),
        (b'~', _) => (T![~], 1),
        _ => return None,
    })
}
