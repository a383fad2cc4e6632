//! Punctuators (C17 6.4.6), digraphs too.

use super::cursor::Cursor;
use crate::syntax_kind::SyntaxKind;

/// Takes the longest punctuator here, or one character that begins no token.
pub(super) fn punct(cursor: &mut Cursor<'_>) -> SyntaxKind {
    use SyntaxKind::*;
    let mut ahead = cursor.clone();
    let mut bytes = [0u8; 4];
    for slot in &mut bytes {
        *slot = ahead.peek().unwrap_or(0);
        ahead.bump();
    }
    let [_, second, third, fourth] = bytes;
    let (kind, length) = match bytes[0] {
        b'(' => (L_PAREN, 1),
        b')' => (R_PAREN, 1),
        b'[' => (L_BRACK, 1),
        b']' => (R_BRACK, 1),
        b'{' => (L_CURLY, 1),
        b'}' => (R_CURLY, 1),
        b',' => (COMMA, 1),
        b';' => (SEMICOLON, 1),
        b':' if second == b'>' => (R_BRACK, 2),
        b':' => (COLON, 1),
        b'?' => (QUESTION, 1),
        b'~' => (TILDE, 1),
        b'.' if second == b'.' && third == b'.' => (ELLIPSIS, 3),
        b'.' => (DOT, 1),
        b'+' => operator(second, b'+', (PLUS, PLUS2, PLUSEQ)),
        b'-' if second == b'>' => (ARROW, 2),
        b'-' => operator(second, b'-', (MINUS, MINUS2, MINUSEQ)),
        b'&' => operator(second, b'&', (AMP, AMP2, AMPEQ)),
        b'|' => operator(second, b'|', (PIPE, PIPE2, PIPEEQ)),
        b'*' => operator(second, 0, (STAR, STAR, STAREQ)),
        b'/' => operator(second, 0, (SLASH, SLASH, SLASHEQ)),
        b'^' => operator(second, 0, (CARET, CARET, CARETEQ)),
        b'!' => operator(second, 0, (BANG, BANG, NEQ)),
        b'=' => operator(second, 0, (EQ, EQ, EQ2)),
        b'%' if second == b':' && third == b'%' && fourth == b':' => (HASH2, 4),
        b'%' if second == b':' => (HASH, 2),
        b'%' if second == b'>' => (R_CURLY, 2),
        b'%' => operator(second, 0, (PERCENT, PERCENT, PERCENTEQ)),
        b'<' if second == b'<' && third == b'=' => (SHLEQ, 3),
        b'<' if second == b'<' => (SHL, 2),
        b'<' if second == b':' => (L_BRACK, 2),
        b'<' if second == b'%' => (L_CURLY, 2),
        b'<' => operator(second, 0, (LT, LT, LTEQ)),
        b'>' if second == b'>' && third == b'=' => (SHREQ, 3),
        b'>' if second == b'>' => (SHR, 2),
        b'>' => operator(second, 0, (GT, GT, GTEQ)),
        b'#' if second == b'#' => (HASH2, 2),
        b'#' => (HASH, 1),
        _ => (ERROR_TOKEN, 1),
    };
    for _ in 0..length {
        cursor.bump();
    }
    kind
}

/// An operator that may be doubled or followed by `=`; `twice` is 0 if it cannot be doubled.
fn operator(
    second: u8,
    twice: u8,
    (one, two, assign): (SyntaxKind, SyntaxKind, SyntaxKind),
) -> (SyntaxKind, usize) {
    match second {
        b'=' => (assign, 2),
        _ if twice != 0 && second == twice => (two, 2),
        _ => (one, 1),
    }
}
