//! The grammar, by construct. Each function starts at the first token of what it parses, takes at least
//! that token if it may start there, and reports at most one error for one mistake.

mod atoms;
mod bodies;
mod controls;
mod exprs;
mod formals;
mod items;
mod lists;
mod lookahead;
mod members;
mod operators;
mod recovery;
mod stmts;
mod types;

use self::bodies::Braces as Body;
pub(crate) use self::lookahead::braces_have_statements as has_statements;
pub(crate) use self::recovery::foreign_declarations::INFERRED;
use self::recovery::{
    angle_brackets, cuda, foreign_declarations, foreign_syntax, foreign_values, foreign_words, misplaced,
    reserved_words, typos,
};
use super::{Completed, Marker, Parser, TokenSet};
use crate::syntax_kind::SyntaxKind::{self, *};

/// What may be parsed by itself: a file, or a piece that is parsed again after an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A compilation unit.
    SourceFile,
    /// A block of statements.
    Block,
    /// The block of a constructor, which may start with a call of another.
    ConstructorBlock,
    /// A block that may end in an expression.
    ClosureBlock,
    /// The body of a class, struct or interface.
    ClassBody,
    /// A member of one.
    Member,
    /// The body of a `switch`.
    SwitchBlock,
}

impl Entry {
    pub(super) fn parse(self, p: &mut Parser<'_>) {
        let root = p.start();
        match self {
            Entry::SourceFile => items::source_file(p),
            Entry::Block => stmts::block(p, stmts::Tail::No),
            Entry::ConstructorBlock => stmts::constructor_block(p),
            Entry::ClosureBlock => stmts::block(p, stmts::Tail::Value),
            Entry::ClassBody => items::class_body(p),
            Entry::Member if members::at_member(p) => members::member(p),
            Entry::Member => {}
            Entry::SwitchBlock => controls::switch_block(p),
        }
        rest(p);
        root.complete(p, SOURCE_FILE);
    }
}

/// What is left over when the grammar is through: only if it gave up.
fn rest(p: &mut Parser<'_>) {
    let reported = std::mem::replace(&mut p.gave_up, false);
    p.refuel();
    if p.at_end() {
        return;
    }
    if !reported {
        p.error("this does not belong here");
    }
    let m = p.start();
    while !p.at_end() {
        p.bump();
    }
    m.complete(p, ERROR);
}

/// Modifiers of declarations; `clocked` and `atomic` also start statements.
const MODIFIERS: TokenSet = TokenSet::new(&[
    T![public],
    T![protected],
    T![private],
    T![static],
    T![abstract],
    T![final],
    T![native],
    T![transient],
    T![atomic],
    T![clocked],
]);

/// Declarations of types.
const TYPE_DECL: TokenSet = TokenSet::new(&[T![class], T![struct], T![interface], T![type]]);

/// Tokens that only a statement starts with.
const STMT_KEYWORDS: TokenSet = TokenSet::new(&[
    T![if],
    T![switch],
    T![while],
    T![do],
    T![for],
    T![ateach],
    T![break],
    T![continue],
    T![return],
    T![throw],
    T![try],
    T![assert],
    T![async],
    T![atomic],
    T![clocked],
    T![when],
    T![offer],
    T![val],
    T![var],
]);

/// Tokens that only a member starts with, when they stand among statements.
const MEMBER_KEYWORDS: TokenSet = TokenSet::new(&[T![def]]);

/// Where the search for the rest of a broken construct ends.
const STOP: TokenSet =
    TokenSet::new(&[T!['}'], T!['{'], T![;], T![')'], T![']'], T![,], T![def], T![class], T![struct]])
        .union(STMT_KEYWORDS);

fn name(p: &mut Parser<'_>) -> bool {
    if p.at(IDENT) {
        let m = p.start();
        p.bump();
        m.complete(p, NAME);
        return true;
    }
    no_name(p);
    false
}

fn name_ref(p: &mut Parser<'_>) -> bool {
    if p.at(IDENT) {
        let m = p.start();
        p.bump();
        m.complete(p, NAME_REF);
        return true;
    }
    no_name(p);
    false
}

/// Says that a name is missing; a keyword where one must be is put aside, for it was meant as one.
fn no_name(p: &mut Parser<'_>) {
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
fn qualified_name(p: &mut Parser<'_>) {
    let m = p.start();
    if !name_ref(p) {
        m.abandon(p);
        return;
    }
    let mut name = m.complete(p, QUALIFIED_NAME);
    let mut length = 0;
    while p.at(T![.]) && p.nth(1) == IDENT && length < super::CHAIN_LIMIT {
        let m = name.precede(p);
        p.bump();
        name_ref(p);
        name = m.complete(p, QUALIFIED_NAME);
        length += 1;
    }
}
