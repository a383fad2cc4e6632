//! Merge conflict markers. The lexer keeps the first version of the lines and skips the others, so that a
//! conflict is one error.

use super::cursor::Cursor;
use crate::syntax_error::SyntaxError;
use crate::syntax_kind::SyntaxKind;

/// Whether the cursor is at a conflict marker of `sign`, and the end marker follows.
pub(super) fn is_marker(cursor: &Cursor<'_>, sign: u8) -> bool {
    let rest = cursor.rest();
    cursor.at_line_start() && marks(rest, sign) && rest.split('\n').skip(1).any(|line| marks(line, b'>'))
}

/// Whether a part of a file contains conflict markers, whose meaning depends on the whole file.
pub(crate) fn may_be_in(text: &str) -> bool {
    text.split('\n').any(|line| [b'<', b'=', b'|', b'>'].into_iter().any(|sign| marks(line, sign)))
}

fn marks(line: &str, sign: u8) -> bool {
    let bytes = line.as_bytes();
    bytes.first() == Some(&sign)
        && bytes.iter().take_while(|byte| **byte == sign).count() == 7
        && matches!(bytes.get(7), None | Some(b' ' | b'\r' | b'\n'))
}

/// At `<<<<<<< ours`: skips the marker and reports the conflict.
pub(super) fn first_version(cursor: &mut Cursor<'_>, errors: &mut Vec<SyntaxError>) -> SyntaxKind {
    let start = cursor.position();
    cursor.bump_while(|byte| byte != b'\n' && byte != b'\r');
    let error = SyntaxError::new(cursor.range_from(start), "a merge left two versions of these lines");
    errors.push(error.with_hint(
        "keep one version, and remove the lines that start with `<<<<<<<`, `=======` and `>>>>>>>`",
    ));
    SyntaxKind::LINE_COMMENT
}

/// At `=======` or `|||||||`: skips the other versions, up to the end of the conflict.
pub(super) fn other_versions(cursor: &mut Cursor<'_>) -> SyntaxKind {
    loop {
        let is_last = marks(cursor.rest(), b'>');
        cursor.bump_while(|byte| byte != b'\n');
        if is_last || cursor.at_end() {
            return SyntaxKind::BLOCK_COMMENT;
        }
        cursor.bump_by(1);
    }
}
