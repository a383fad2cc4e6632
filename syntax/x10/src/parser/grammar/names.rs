//! Names of declarations, references and packages.

use crate::parser::grammar::recovery::reserved_words;
use crate::parser::limits::CHAIN_LIMIT;
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::*;

pub(super) fn name(p: &mut Parser<'_>) -> bool {
    if p.at(IDENT) {
        let m = p.start();
        p.bump();
        m.complete(p, NAME);
        return true;
    }
    no_name(p);
    false
}

pub(super) fn name_ref(p: &mut Parser<'_>) -> bool {
    if p.at(IDENT) {
        let m = p.start();
        p.bump();
        m.complete(p, NAME_REF);
        return true;
    }
    no_name(p);
    false
}

/// Reports a missing name. A keyword in its place is skipped: it was meant as a name.
pub(super) fn no_name(p: &mut Parser<'_>) {
    let meant = p.current().is_keyword()
        && !p.at_line_start()
        && matches!(p.nth(1), T!['('] | T![:] | T![=] | T![;] | T![,] | T![')'] | T!['['] | T!['{']);
    if meant {
        reserved_words::name(p);
    } else {
        p.missing("expected a name");
    }
}

/// `a.b.c`; stops before a dot that no name follows.
pub(super) fn qualified_name(p: &mut Parser<'_>) {
    let m = p.start();
    if !name_ref(p) {
        m.abandon(p);
        return;
    }
    let mut name = m.complete(p, QUALIFIED_NAME);
    let mut length = 0;
    while p.at(T![.]) && p.nth(1) == IDENT && length < CHAIN_LIMIT {
        let m = name.precede(p);
        p.bump();
        name_ref(p);
        name = m.complete(p, QUALIFIED_NAME);
        length += 1;
    }
}
