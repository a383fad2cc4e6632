//! Formal parameters, declarators, and the parts of a signature.

use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::names::name;
use crate::parser::grammar::recovery::{
    foreign_declarations, foreign_lookahead, foreign_syntax, foreign_values, foreign_words,
};
use crate::parser::grammar::token_sets::{MODIFIERS, SIGNATURE};
use crate::parser::grammar::{exprs, items, lists, lookahead, types};
use crate::parser::state::Parser;
use crate::parser::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::*;

/// `(x:T, y:U)`
pub(super) fn formal_list(p: &mut Parser<'_>) {
    let m = p.start();
    let open = p.position;
    if p.expect(T!['(']) {
        bracketed_formals(p, open);
    }
    m.complete(p, FORMAL_LIST);
}

/// The formals up to the parenthesis that closes the one at `open`.
pub(super) fn bracketed_formals(p: &mut Parser<'_>, open: usize) {
    lists::bracketed(p, open, T![')'], "a formal", at_formal, formal);
}

pub(super) fn at_formal(p: &Parser<'_>) -> bool {
    types::at_first(p)
        || p.at_set(&MODIFIERS)
        || matches!(p.current(), T![@] | T![val] | T![var])
        || is_keyword_as_name(p)
}

/// `at:Long`
pub(super) fn is_keyword_as_name(p: &Parser<'_>) -> bool {
    p.current().is_keyword() && p.nth(1) == T![:]
}

/// `x:T`, `[i, j]:T`, `p[i, j]:T`, `T`
pub(super) fn formal(p: &mut Parser<'_>) {
    let m = p.start();
    items::modifier_list(p);
    let keyword = p.eat(T![val]) || p.eat(T![var]);
    if keyword || lookahead::is_typed_declarator(p, p.position) || is_keyword_as_name(p) {
        pattern(p);
        if p.at(T![:]) || p.at(T![<:]) {
            p.bump();
            declared_type(p);
        } else {
            p.missing("expected `:` and a type");
        }
    } else if foreign_lookahead::is_formal(p, p.position) {
        foreign_declarations::type_before_name(p);
        name(p);
    } else {
        types::type_(p);
    }
    foreign_syntax::formal_end(p);
    m.complete(p, FORMAL);
}

/// The type of a variable, after its colon.
fn declared_type(p: &mut Parser<'_>) {
    if foreign_syntax::at_bare_function_type(p) {
        foreign_syntax::bare_function_type(p);
    } else {
        types::type_(p);
    }
}

/// The variable of a loop: like a formal, but its type may be absent, and it is never a type alone.
pub(super) fn loop_variable(p: &mut Parser<'_>) {
    let m = p.start();
    items::modifier_list(p);
    if p.at(T![val]) || p.at(T![var]) {
        p.bump();
    }
    pattern(p);
    if p.at(T![:]) || p.at(T![<:]) {
        p.bump();
        types::type_(p);
    }
    m.complete(p, FORMAL);
}

/// A name, a point pattern, or both.
fn pattern(p: &mut Parser<'_>) {
    if p.at(T!['(']) && p.nth(1) == IDENT {
        return foreign_values::destructured_formal(p);
    }
    if !p.at(T!['[']) && !name(p) {
        return;
    }
    if p.at(T!['[']) {
        let m = p.start();
        let open = p.position;
        p.bump();
        let first = |p: &Parser<'_>| p.at(IDENT);
        lists::bracketed(p, open, T![']'], "a name", first, |p| {
            name(p);
        });
        m.complete(p, POINT_PATTERN);
    }
}

/// What a declarator must have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// A type or an initialiser: fields and locals with `val` or `var`.
    TypeOrValue,
    /// Both: locals without `val` and `var`.
    TypeAndValue,
}

/// `x:T = e, y:U = f`
pub(super) fn declarators(p: &mut Parser<'_>, needs: Needs) {
    let mut foreign = false;
    loop {
        foreign = declarator(p, needs, foreign);
        if !p.eat(T![,]) {
            return;
        }
    }
}

/// A declarator, after one with the type `before` its name or not: then it has that type. Whether it, too,
/// needs no other.
fn declarator(p: &mut Parser<'_>, needs: Needs, before: bool) -> bool {
    let m = p.start();
    let has_type = foreign_lookahead::is_variable(p, p.position);
    let foreign = has_type || before;
    if has_type {
        foreign_declarations::type_before_name(p);
    }
    pattern(p);
    let typed = p.at(T![:]) || p.at(T![<:]);
    if typed {
        p.bump();
        declared_type(p);
    }
    if p.eat(T![=]) {
        exprs::expr(p);
    } else if foreign {
        // What is missing is said with the rest.
    } else if needs == Needs::TypeAndValue {
        p.missing("expected `=` and a value");
        p.hint("or start the declaration with `val` or `var`");
    } else if !typed {
        p.missing("expected `:` and a type, or `=` and a value");
        if p.at(T![,]) {
            p.hint("each variable has a type of its own: `x:T, y:T`");
        }
    }
    m.complete(p, DECLARATOR);
    foreign
}

/// The braces of a guard, if they are one.
pub(super) fn guard(p: &mut Parser<'_>, follow: &TokenSet) {
    if p.at(T!['{']) && lookahead::is_condition(p, p.position, follow) {
        lists::condition(p, GUARD);
    }
}

/// `offers T`
pub(super) fn offers(p: &mut Parser<'_>, braces: BraceMeaning<'_>) {
    if p.at(T![offers]) {
        let m = p.start();
        p.bump();
        types::type_with(p, braces);
        m.complete(p, OFFERS_CLAUSE);
    }
}

/// `:T`, `<:T`
pub(super) fn result_type(p: &mut Parser<'_>, braces: BraceMeaning<'_>) {
    if p.at(T![:]) || p.at(T![<:]) {
        let m = p.start();
        p.bump();
        types::type_with(p, braces);
        m.complete(p, RESULT_TYPE);
    }
}

/// All between the formals and the body of a method.
pub(super) fn signature_rest(p: &mut Parser<'_>) {
    guard(p, &SIGNATURE);
    offers(p, BraceMeaning::Before(&SIGNATURE));
    let throws = |p: &mut Parser<'_>| {
        if p.at(T![throws]) {
            let m = p.start();
            p.bump();
            lists::types(p, BraceMeaning::Before(&SIGNATURE));
            m.complete(p, THROWS_CLAUSE);
        }
    };
    throws(p);
    foreign_values::result_arrow(p);
    result_type(p, BraceMeaning::Before(&SIGNATURE));
    foreign_words::where_clause(p);
    if p.at(T![throws]) {
        p.error("`throws` comes before the result type");
        throws(p);
    }
}
