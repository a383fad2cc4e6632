//! The grammar, by construct. Each function starts at the first token of its construct, takes at least that
//! token if it may start there, and reports at most one error for one mistake.
//!
//! From below: `token_sets`, `names` and `lookahead`; `bodies` and `lists`; `recovery`; and the constructs,
//! which are mutually recursive. The lower files parse constructs through the methods in `entry_points`.

mod atoms;
mod bodies;
mod context;
mod controls;
mod entry_points;
mod exprs;
mod formals;
mod items;
mod lists;
mod lookahead;
mod members;
mod names;
mod operand;
mod operators;
mod recovery;
mod stmts;
mod token_sets;
mod types;

use self::context::Tail;
pub(crate) use self::lookahead::braces_have_statements as has_statements;
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::*;

/// Constructs that are parsed by themselves: files, and parts that are parsed again after an edit.
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
            Entry::Block => stmts::block(p, Tail::No),
            Entry::ConstructorBlock => stmts::constructor_block(p),
            Entry::ClosureBlock => stmts::block(p, Tail::Value),
            Entry::ClassBody => items::class_body(p),
            Entry::Member if members::at_member(p) => members::member(p),
            Entry::Member => {}
            Entry::SwitchBlock => controls::switch_block(p),
        }
        rest(p);
        root.complete(p, SOURCE_FILE);
    }
}

/// Takes the tokens that are left after the grammar has ended, which happens only if it gave up.
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
