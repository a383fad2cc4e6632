//! Grammar of C17 (annex A.2) with the GNU extensions; a function for each construct.

mod attributes;
mod clauses;
mod declarations;
mod declarators;
mod directive;
pub(crate) mod directive_table;
mod expressions;
mod initializers;
mod operators;
mod primary;
mod recovery;
mod specifiers;
mod statements;
mod xcalablemp;

use super::state::{Completed, Marker, Parser};
use super::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::{self, *};

/// All tokens, as external declarations. Whether no limit stopped the parser on the way.
pub(super) fn translation_unit(p: &mut Parser<'_>) -> bool {
    p.events.reserve(p.tokens.len() * 3);
    let m = p.start();
    while !p.at_end() {
        declaration_at(p, p.position);
    }
    let is_whole = p.continues();
    p.take_rest();
    m.complete(p, TRANSLATION_UNIT);
    is_whole
}

/// The external declaration that begins at a token.
pub(super) fn declaration_at(p: &mut Parser<'_>, first: usize) {
    p.position = first;
    p.scopes.declaration = first;
    declarations::external_declaration(p);
}

/// A name that is declared.
fn name(p: &mut Parser<'_>) {
    if p.at(IDENT) {
        let m = p.start();
        p.bump();
        m.complete(p, NAME);
    } else {
        p.error("a name is missing here");
    }
}

/// A name that refers to a declaration.
fn name_ref(p: &mut Parser<'_>) {
    if p.at(IDENT) {
        let m = p.start();
        p.bump();
        m.complete(p, NAME_REF);
    } else {
        p.error("a name is missing here");
    }
}

/// Any word; keywords too.
fn word(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    m.complete(p, WORD);
}
