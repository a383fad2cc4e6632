//! Lists in brackets, with recovery after missing commas and brackets.

use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::names::name;
use crate::parser::grammar::token_sets::STMT_KEYWORDS;
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::{self, *};

/// Items with commas between them, up to the bracket `close` that matches the one at `open`, which is taken
/// too. `first`: whether an item may start here. `what`: an item, in words.
pub(super) fn bracketed(
    p: &mut Parser<'_>,
    open: usize,
    close: SyntaxKind,
    what: &str,
    first: impl Fn(&Parser<'_>) -> bool,
    mut item: impl FnMut(&mut Parser<'_>),
) {
    p.inside(open, |p| items(p, close, what, first, &mut item, open));
    close_bracket(p, open, close);
}

/// The items of a list, without its brackets.
fn items(
    p: &mut Parser<'_>,
    close: SyntaxKind,
    what: &str,
    first: impl Fn(&Parser<'_>) -> bool,
    item: &mut impl FnMut(&mut Parser<'_>),
    open: usize,
) {
    let mut after_comma = false;
    loop {
        if p.at(close) || p.at_end() || p.is_unfinished(open) {
            if after_comma {
                p.missing(format!("expected {what}"));
            }
            break;
        }
        if p.at(T![,]) {
            p.unexpected(format!("expected {what}"));
            p.bump();
            after_comma = true;
            continue;
        }
        if !first(p) {
            if after_comma {
                p.missing(format!("expected {what}"));
            }
            break;
        }
        let before = p.position;
        item(p);
        after_comma = p.eat(T![,]);
        if after_comma || p.at(close) {
            continue;
        }
        let missing_comma =
            p.position > before && first(p) && !p.at_line_start() && !p.at_set(&STMT_KEYWORDS);
        if !missing_comma {
            break;
        }
        p.missing(format!("expected `,` or `{}`", close.text().unwrap_or_default()));
    }
}

/// What one thing in a bracket is parsed by, directly in the node that is open. If a new line starts instead,
/// it is still to come.
pub(super) fn in_bracket(
    p: &mut Parser<'_>,
    open: usize,
    close: SyntaxKind,
    what: &str,
    one: impl FnOnce(&mut Parser<'_>),
) {
    if p.is_unfinished(open) {
        p.missing(format!("expected {what}"));
    } else {
        p.inside(open, one);
    }
    close_bracket(p, open, close);
}

/// Takes the bracket that closes the one at `open`. If something else precedes it that cannot be the start
/// of another statement or declaration, that is skipped.
pub(super) fn close_bracket(p: &mut Parser<'_>, open: usize, close: SyntaxKind) {
    if p.eat(close) {
        return;
    }
    p.missing(format!("expected `{}`", close.text().unwrap_or_default()));
    p.insert(close);
    let Some(end) = p.matching(open).filter(|&it| it > p.position) else { return };
    let foreign = (p.position..end).any(|it| {
        let kind = p.kind_at(it);
        matches!(kind, T![;] | T!['{'] | T!['}'] | T![def]) || STMT_KEYWORDS.contains(kind)
    });
    if !foreign {
        let m = p.start();
        while p.position < end && !p.at_end() {
            p.bump();
        }
        m.complete(p, ERROR);
        p.bump();
    }
}

/// `(a, b)`
pub(super) fn arg_list(p: &mut Parser<'_>) {
    let m = p.start();
    let open = p.position;
    p.expect(T!['(']);
    bracketed(
        p,
        open,
        T![')'],
        "an expression",
        |p| p.at_expr_start(),
        |p| {
            p.parse_expr();
        },
    );
    m.complete(p, ARG_LIST);
}

/// `[T, U]`, of a use.
pub(super) fn type_arg_list(p: &mut Parser<'_>) {
    let m = p.start();
    let open = p.position;
    p.expect(T!['[']);
    if p.at(T![']']) {
        p.error("expected a type");
        p.hint("leave the brackets out to have the type arguments inferred");
    }
    bracketed(
        p,
        open,
        T![']'],
        "a type",
        |p| p.at_type_start(),
        |p| {
            p.parse_type();
        },
    );
    m.complete(p, TYPE_ARG_LIST);
}

/// `[T, U]`, of a declaration.
pub(super) fn type_param_list(p: &mut Parser<'_>) {
    if !p.at(T!['[']) {
        return p.parse_angle_type_param_list();
    }
    let m = p.start();
    let open = p.position;
    p.bump();
    if p.at(T![']']) {
        p.error("expected a type parameter");
    }
    let first = |p: &Parser<'_>| matches!(p.current(), IDENT | T![+] | T![-]);
    bracketed(p, open, T![']'], "a type parameter", first, |p| {
        let m = p.start();
        if p.at(T![+]) || p.at(T![-]) {
            p.bump();
        }
        name(p);
        p.parse_type_param_bound();
        m.complete(p, TYPE_PARAM);
    });
    m.complete(p, TYPE_PARAM_LIST);
}

/// The expressions in braces that make a guard or a constraint.
pub(super) fn condition(p: &mut Parser<'_>, kind: SyntaxKind) {
    let m = p.start();
    let open = p.position;
    p.bump();
    bracketed(
        p,
        open,
        T!['}'],
        "a condition",
        |p| p.at_expr_start(),
        |p| {
            p.parse_expr();
        },
    );
    m.complete(p, kind);
}

/// `T, U`, at least one.
pub(super) fn types(p: &mut Parser<'_>, braces: BraceMeaning<'_>) {
    loop {
        if p.parse_type_with(braces).is_none() || !p.eat(T![,]) {
            return;
        }
    }
}
