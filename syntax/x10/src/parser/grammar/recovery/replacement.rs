//! Errors that replace tokens: they say what to write instead, and the parser skips the tokens.

use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::*;

pub(crate) fn range_of(p: &Parser<'_>, first: usize, last: usize) -> apg_source::TextRange {
    p.input.range(p.lexed, first).cover(p.input.range(p.lexed, last))
}

/// Whether no blank is between two tokens.
pub(crate) fn adjacent(p: &Parser<'_>, index: usize) -> bool {
    p.input.range(p.lexed, index).end() == p.input.range(p.lexed, index + 1).start()
}

/// An error at the tokens here, which are skipped: `text` is to stand there instead.
pub(crate) fn replaced(p: &mut Parser<'_>, count: usize, message: &str, hint: &str, text: &str) {
    let range = range_of(p, p.position, p.position + count - 1);
    p.error_at(range, message);
    p.hint(hint);
    p.replace_by(text.to_owned());
    skip_as_error(p, count);
}

/// Skips tokens.
pub(crate) fn skip_as_error(p: &mut Parser<'_>, count: usize) {
    let m = p.start();
    for _ in 0..count {
        p.bump();
    }
    m.complete(p, ERROR);
}
