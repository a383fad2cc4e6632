//! Declarations of operators.

use crate::ast::{BinaryOp, PrefixOp, is_keyword_operator};
use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::formals::{formal_list, signature_rest};
use crate::parser::grammar::token_sets::{SIGNATURE, STOP};
use crate::parser::grammar::{lists, lookahead, members, types};
use crate::parser::state::{Marker, Parser};
use crate::syntax_kind::SyntaxKind::*;

/// An operator, at `operator`.
pub(super) fn operator(p: &mut Parser<'_>, m: Marker) {
    p.bump();
    if is_keyword_operator(p.current()) {
        p.bump();
        lists::type_param_list(p);
        formal_list(p);
    } else if p.at(T![this]) && matches!(p.nth(1), T!['('] | T!['[']) {
        p.bump();
        lists::type_param_list(p);
        formal_list(p);
        if p.at(T![=]) && p.nth(1) == T!['('] && is_setter(p) {
            p.bump();
            formal_list(p);
        }
    } else {
        lists::type_param_list(p);
        operands(p);
    }
    signature_rest(p);
    members::body(p);
    m.complete(p, OPERATOR_DECL);
}

/// An operator without `operator`, at its sign; none of its names is known.
pub(super) fn nameless(p: &mut Parser<'_>, m: Marker) {
    let errors = p.errors.len();
    operands(p);
    signature_rest(p);
    members::body(p);
    p.errors.truncate(errors);
    m.complete(p, ERROR);
}

/// Whether `= (` starts the formal of a setting operator, and not a body `= (e);`.
fn is_setter(p: &Parser<'_>) -> bool {
    let open = p.position + 1;
    let start = lookahead::after_modifiers(p, open + 1);
    let named = matches!(p.kind_at(start), T![val] | T![var]) || lookahead::is_typed_declarator(p, start);
    let after = p.matching(open).map_or(EOF, |it| p.kind_at(it + 1));
    named || matches!(after, T!['{'] | T![:] | T![=] | T![<:] | T![@])
}

/// `this + (x:T)`, `(x:T) + this`, `(x:T) + (y:T)`, `-this`, `-(x:T)`, `(x:T) as U`, `(x:T)`
fn operands(p: &mut Parser<'_>) {
    if PrefixOp::from_kind(p.current())
        .is_some_and(|it| !matches!(it, PrefixOp::Increment | PrefixOp::Decrement))
    {
        p.bump();
        operand(p);
        return;
    }
    operand(p);
    if p.eat(T![as]) {
        if !p.eat(T![?]) {
            types::type_with(p, BraceMeaning::Before(&SIGNATURE));
        }
    } else if BinaryOp::from_kind(p.current()).is_some() {
        p.bump();
        operand(p);
    }
}

fn operand(p: &mut Parser<'_>) {
    if p.at(T!['(']) {
        formal_list(p);
    } else if !p.eat(T![this]) {
        let what = if p.current().is_punct() && !p.at_set(&STOP) {
            "this operator cannot be defined"
        } else {
            "expected `this` or a formal in parentheses"
        };
        if p.at_line_start() {
            p.missing(what);
        } else {
            p.error_recover(what, &STOP);
        }
    }
}
