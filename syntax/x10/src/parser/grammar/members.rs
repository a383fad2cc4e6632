//! Members of classes: fields, methods, constructors.

use crate::ast::BinaryOp;
use crate::parser::grammar::bodies::Body;
use crate::parser::grammar::context::Tail;
use crate::parser::grammar::formals::{Needs, signature_rest};
use crate::parser::grammar::names::name;
use crate::parser::grammar::recovery::{
    foreign_declarations, foreign_lookahead, foreign_syntax, misplaced, typos,
};
use crate::parser::grammar::token_sets::{MODIFIERS, STMT_KEYWORDS, TYPE_DECL};
use crate::parser::grammar::{exprs, formals, items, lists, lookahead, operators, stmts};
use crate::parser::state::{Marker, Parser};
use crate::syntax_error::MistakeKind;
use crate::syntax_kind::SyntaxKind::*;

/// Whether a member starts here (after its modifiers).
pub(super) fn at_member(p: &Parser<'_>) -> bool {
    let start = lookahead::after_modifiers(p, p.position);
    let kind = p.kind_at(start);
    TYPE_DECL.contains(kind)
        || matches!(kind, T![def] | T![operator] | T![property] | T![val] | T![var] | T![;])
        || (kind == IDENT
            && (is_field(p, start) || is_undeclared(p, start) || foreign_syntax::is_method(p, start)))
        || foreign_lookahead::is_method(p, start)
        || foreign_lookahead::is_variable(p, start)
}

/// Whether the name at `index` starts a field without `val` or `var`.
fn is_field(p: &Parser<'_>, index: usize) -> bool {
    matches!(p.kind_at(index + 1), T![:] | T![<:] | T![=])
}

/// Whether a method without `def` starts at `index`: a name, formals and a body.
fn is_undeclared(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index + 1) == T!['('] && p.matching(index + 1).is_some_and(|it| p.kind_at(it + 1) == T!['{'])
}

/// Members up to the closing brace.
pub(super) fn members(p: &mut Parser<'_>, body: &Body) {
    let mut in_garbage = false;
    while !body.end(p) && !p.at_end() {
        let before = p.position;
        let starts = at_member(p) || (p.at_set(&MODIFIERS) && !is_statement_modifier(p)) || p.at(T![@]);
        if starts || typos::member(p) || at_constructor(p) {
            member(p);
            in_garbage = false;
        } else if misplaced::type_in_class(p) {
            in_garbage = false;
        } else {
            // Where braces are missing, members end where they should not.
            let is_consequence = p.input.is_paired && body.has_errors(p);
            garbage(p, in_garbage || is_consequence);
            in_garbage = true;
        }
        if p.position == before {
            p.skip_balanced();
        }
    }
}

/// A constructor without `def`.
fn at_constructor(p: &Parser<'_>) -> bool {
    p.at(T![this]) && is_undeclared(p, p.position)
}

/// `atomic` or `clocked` before a statement.
fn is_statement_modifier(p: &Parser<'_>) -> bool {
    matches!(p.current(), T![atomic] | T![clocked])
        && !matches!(p.kind_at(lookahead::after_modifiers(p, p.position)), IDENT | EOF | T!['}'])
}

/// What is no member: often statements, after a brace too many. They are parsed, and only the first is an
/// error.
fn garbage(p: &mut Parser<'_>, again: bool) {
    if again {
        p.suppress_next_error();
    } else {
        p.unexpected("expected a member: a field, method, constructor, operator or type");
        if p.at(T!['{']) {
            p.hint("there are no blocks of initialisation: write a constructor, `def this() { ... }`");
        }
    }
    let m = p.start();
    if p.at_set(&STMT_KEYWORDS)
        || p.at(IDENT)
        || p.at(T!['{'])
        || p.at(T![finish])
        || p.at(T![at])
        || p.at(T![this])
    {
        let errors = p.errors.len();
        stmts::stmt(p);
        p.errors.truncate(errors);
    } else {
        p.skip_balanced();
    }
    m.complete(p, ERROR);
}

pub(super) fn member(p: &mut Parser<'_>) {
    let m = p.start();
    typos::member(p);
    items::modifier_list(p);
    match p.current() {
        kind if TYPE_DECL.contains(kind) => items::type_decl(p, m),
        T![def] if p.nth(1) == T![this] => constructor(p, m),
        T![def] => {
            p.bump();
            method(p, m);
        }
        T![this] if p.nth(1) == T!['('] => foreign_syntax::undeclared_constructor(p, m),
        T![property] => {
            p.bump();
            match foreign_syntax::property_as_field(p) {
                true => field(p, m),
                false => method(p, m),
            }
        }
        T![operator] => operators::operator(p, m),
        T![;] => {
            p.bump();
            m.complete(p, EMPTY_DECL);
        }
        T![val] | T![var] => {
            p.bump();
            field(p, m);
        }
        IDENT if foreign_syntax::is_method(p, p.position) => {
            foreign_syntax::def(p);
            method(p, m);
        }
        _ if foreign_lookahead::is_method(p, p.position) => foreign_declarations::method(p, m),
        IDENT if foreign_lookahead::is_variable(p, p.position) => field(p, m),
        IDENT if matches!(p.nth(1), T!['('] | T!['[']) => foreign_syntax::undeclared_method(p, m),
        IDENT => field(p, m),
        _ => {
            p.unexpected("expected a member after its modifiers");
            m.complete(p, ERROR);
        }
    }
}

fn field(p: &mut Parser<'_>, m: Marker) {
    formals::declarators(p, Needs::TypeOrValue);
    items::semicolon(p);
    m.complete(p, FIELD_DECL);
}

/// A method, at its name.
pub(super) fn method(p: &mut Parser<'_>, m: Marker) {
    if p.at(T![operator]) {
        p.error("an operator is declared without `def`");
        operators::operator(p, m);
        return;
    }
    if BinaryOp::from_kind(p.current()).is_some() {
        p.error("an operator is declared by `operator`");
        p.hint("write `operator this + (that:Type) = ...`");
        operators::nameless(p, m);
        return;
    }
    name(p);
    lists::type_param_list(p);
    if p.at(T!['(']) {
        formals::formal_list(p);
    } else {
        p.missing("expected `(` and the formals");
        p.hint("a method without formals has `()`");
    }
    signature_rest(p);
    body(p);
    m.complete(p, METHOD_DECL);
}

fn constructor(p: &mut Parser<'_>, m: Marker) {
    p.bump();
    p.bump();
    constructor_rest(p, m);
}

/// A constructor, at its formals.
pub(super) fn constructor_rest(p: &mut Parser<'_>, m: Marker) {
    lists::type_param_list(p);
    formals::formal_list(p);
    signature_rest(p);
    constructor_body(p);
    m.complete(p, CONSTRUCTOR_DECL);
}

fn constructor_body(p: &mut Parser<'_>) {
    if p.at(T![=]) && p.nth(1) != T!['{'] {
        let m = p.start();
        p.bump();
        if stmts::at_constructor_call(p) || p.at(T![super]) || p.at(T![property]) {
            stmts::constructor_call_or_property(p);
        } else {
            p.error("expected `this(...)`, `super(...)` or `property(...)`");
            p.hint("other code of a constructor is written in braces");
            stmts::stmt(p);
        }
        m.complete(p, CALL_BODY);
        return;
    }
    if no_equals_before_braces(p) {
        stmts::constructor_block(p);
    } else {
        body_with(p, stmts::constructor_block);
    }
}

/// `= {`: puts the `=` aside, which is not needed there.
fn no_equals_before_braces(p: &mut Parser<'_>) -> bool {
    if !(p.at(T![=]) && p.nth(1) == T!['{']) {
        return false;
    }
    p.error("a body in braces has no `=` before it");
    p.hint("remove the `=`");
    p.replace_by(String::new());
    p.mark_mistake(MistakeKind::EqualsBody);
    let m = p.start();
    p.bump();
    m.complete(p, ERROR);
    true
}

/// The body of a method: `= e;`, a block, or `;` if it has none.
pub(super) fn body(p: &mut Parser<'_>) {
    if no_equals_before_braces(p) {
        stmts::block(p, Tail::No);
    } else if p.at(T![=]) {
        let m = p.start();
        p.bump();
        exprs::expr(p);
        items::semicolon(p);
        m.complete(p, EXPR_BODY);
    } else {
        body_with(p, |p| stmts::block(p, Tail::No));
    }
}

fn body_with(p: &mut Parser<'_>, block: impl FnOnce(&mut Parser<'_>)) {
    if p.at(T!['{']) || p.kind_at(lookahead::after_annotations(p, p.position)) == T!['{'] {
        block(p);
    } else if !p.eat(T![;]) {
        p.missing("expected a body in braces, `= expression;`, or `;`");
        let forgotten = p.input.extra_close && !at_member(p) && !p.at(T!['}']) && !p.at_end();
        if forgotten || (p.input.extra_close && (p.at(T![val]) || p.at(T![var]))) {
            block(p);
        }
    }
}
