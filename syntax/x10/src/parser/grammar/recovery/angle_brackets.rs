//! Type arguments in angle brackets, as in C++, Java and Rust: parsed as type arguments, with an error.

use crate::parser::grammar::lists;
use crate::parser::grammar::names::{name, name_ref};
use crate::parser::grammar::recovery::{foreign_lookahead, replacement};
use crate::parser::state::Parser;
use crate::syntax_kind::SyntaxKind::*;

/// Whether type arguments are here, after the name of a type.
pub(crate) fn at_list(p: &Parser<'_>) -> bool {
    let ends = |end: usize| {
        p.input.newline_before(end)
            || matches!(
                p.kind_at(end),
                T![=] | T![;] | T![')'] | T![,] | T!['{'] | T![']'] | T!['}'] | T![in] | T![=>] | T![:] | EOF
            )
            || matches!(p.kind_at(end), T![implements] | T![throws] | T![extends])
    };
    p.at(T![<]) && foreign_lookahead::after_angle_brackets(p, p.position).is_some_and(ends)
}

/// Whether `<T>(` is here, after a name: `a < T > (b)` would compare a `Boolean`. With a comma it may be two
/// arguments of a call.
pub(crate) fn at_call(p: &Parser<'_>) -> bool {
    let Some(end) = foreign_lookahead::after_angle_brackets(p, p.position).filter(|_| p.at(T![<])) else {
        return false;
    };
    // Nobody writes blanks there, but around operators.
    let tight = replacement::adjacent(p, p.position - 1) && replacement::adjacent(p, end - 1);
    p.kind_at(end) == T!['('] && tight && (p.position..end).all(|it| p.kind_at(it) != T![,])
}

/// The list, at `<`.
pub(crate) fn type_arg_list(p: &mut Parser<'_>) {
    report(p);
    list(p);
}

fn report(p: &mut Parser<'_>) {
    let end = foreign_lookahead::after_angle_brackets(p, p.position).unwrap_or(p.position + 1);
    let range = p.input.range(p.lexed, p.position).cover(p.input.range(p.lexed, end - 1));
    let text = p.text_of(p.position, end).replace('<', "[").replace('>', "]");
    p.error_at(range, "type arguments stand in square brackets");
    p.hint(&format!("write `{text}`"));
    p.replace_by(text);
}

/// How many lists around this one its last token closes as well.
fn list(p: &mut Parser<'_>) -> i32 {
    let m = p.start();
    p.bump();
    loop {
        let closed = ty(p);
        if closed > 0 {
            m.complete(p, TYPE_ARG_LIST);
            return closed - 1;
        }
        if !p.eat(T![,]) {
            break;
        }
    }
    let closed = foreign_lookahead::closed_angle_brackets(p.current());
    if closed > 0 {
        p.bump();
    }
    m.complete(p, TYPE_ARG_LIST);
    (closed - 1).max(0)
}

fn ty(p: &mut Parser<'_>) -> i32 {
    if !p.at(IDENT) {
        return 0;
    }
    let m = p.start();
    name_ref(p);
    let mut ty = m.complete(p, NAMED_TYPE);
    while p.at(T![.]) && p.nth(1) == IDENT {
        let m = ty.precede(p);
        p.bump();
        name_ref(p);
        ty = m.complete(p, NAMED_TYPE);
    }
    let m = ty.reopen(p);
    let mut closed = 0;
    if p.at(T!['[']) {
        lists::type_arg_list(p);
    } else if p.at(T![<]) {
        closed = list(p);
    }
    m.complete(p, NAMED_TYPE);
    closed
}

/// `<T, U>` of a declaration, if it is here.
pub(crate) fn type_param_list(p: &mut Parser<'_>) {
    if !p.at(T![<]) || foreign_lookahead::after_angle_brackets(p, p.position).is_none() {
        return;
    }
    report(p);
    let m = p.start();
    p.bump();
    while p.at(IDENT) {
        let parameter = p.start();
        name(p);
        parameter.complete(p, TYPE_PARAM);
        p.eat(T![,]);
    }
    p.eat(T![>]);
    m.complete(p, TYPE_PARAM_LIST);
}
