//! Declarations with the type before the name, as in Java and C++: parsed as declarations. The validation
//! reports them.

use crate::foreign_types::{INFERRED, type_name};
use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::lists;
use crate::parser::grammar::names::name;
use crate::parser::grammar::recovery::foreign_lookahead;
use crate::parser::state::{Completed, Marker, Parser};
use crate::syntax_kind::SyntaxKind::*;

/// Those of [`foreign_lookahead::TYPES`] that X10's class library does not define.
const UNKNOWN: &[&str] = &["bool", "unsigned", "signed", "size_t"];

/// The type; what is none in X10 is skipped.
pub(crate) fn type_before_name(p: &mut Parser<'_>) {
    let Some(name) = foreign_lookahead::name_after_type(p, p.position) else { return };
    let is_array = (p.position..name).any(|it| p.kind_at(it) == T!['['] && p.kind_at(it + 1) == T![']']);
    let word = p.text(p.position);
    let is_simple = (p.position..name).all(|it| matches!(p.kind_at(it), IDENT | T![.] | T!['['] | T![']']));
    let words = (p.position..name - 1).any(|it| p.kind_at(it) == IDENT && p.kind_at(it + 1) == IDENT);
    if is_array || words || !is_simple || INFERRED.contains(&word) || UNKNOWN.contains(&word) {
        skip_as_error(p, name);
        return;
    }
    p.parse_type_with(BraceMeaning::Other);
    if p.position < name {
        skip_as_error(p, name);
    }
}

fn skip_as_error(p: &mut Parser<'_>, end: usize) {
    let m = p.start();
    while p.position < end && !p.at_end() {
        p.bump();
    }
    m.complete(p, ERROR);
}

/// A method whose result precedes its name.
pub(crate) fn method(p: &mut Parser<'_>, m: Marker) {
    let result = p.start();
    type_before_name(p);
    result.complete(p, RESULT_TYPE);
    p.parse_method(m);
}

/// `(T x : xs)`, the header of a loop.
pub(crate) fn loop_header(p: &mut Parser<'_>) {
    let open = p.position;
    p.bump();
    let m = p.start();
    type_before_name(p);
    name(p);
    m.complete(p, FORMAL);
    skip_as_error(p, p.position + 1);
    p.parse_expr();
    lists::close_bracket(p, open, T![')']);
}

/// Whether the bracket at `open`, after what may be a rail, holds an index rather than types.
pub(crate) fn is_index(p: &Parser<'_>, open: usize) -> bool {
    let Some(close) = p.matching(open) else { return false };
    let lower = |index: usize| {
        p.kind_at(index) == IDENT
            && p.text(index).starts_with(char::is_lowercase)
            && !foreign_lookahead::TYPES.contains(&p.text(index))
    };
    // Only a call has type arguments.
    let is_call = p.kind_at(close + 1) == T!['('];
    // Nor are types assigned to, or followed by others.
    let next = p.kind_at(close + 1);
    let is_set = next.is_assignment() || matches!(next, T!['['] | T![++] | T![--]);
    let is_again = open > 0 && p.kind_at(open - 1) == T![']'];
    if (is_set || is_again && !is_call) && close > open + 1 {
        return true;
    }
    match p.kind_at(open + 1) {
        INT_NUMBER | FLOAT_NUMBER | STRING | CHAR | T![-] => true,
        IDENT if matches!(p.kind_at(open + 2), T![+] | T![-] | T![*] | T![/] | T![%]) => true,
        // `a[i]` with a name of a variable before it and in it; `a[b[i]]`, `a[f(i)]`, `a[p.i]`.
        IDENT if open > 0 && lower(open - 1) && lower(open + 1) && !is_call => {
            matches!(p.kind_at(close - 1), T![')'] | T![']']) || lower(close - 1)
        }
        _ => false,
    }
}

/// `[i]` as an index: the call that was meant.
pub(crate) fn index(p: &mut Parser<'_>) {
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    report_index(p, open, close);
    let m = p.start();
    p.bump();
    let first = |p: &Parser<'_>| p.at_expr_start();
    lists::bracketed(p, open, T![']'], "an index", first, |p| {
        p.parse_expr();
    });
    m.complete(p, ARG_LIST);
}

/// `a[i][j]` is one error, whether elements have two indices or are rails.
fn report_index(p: &mut Parser<'_>, open: usize, close: usize) {
    if open > 0 && p.kind_at(open - 1) == T![']'] && p.is_reported_in_line() {
        return;
    }
    let message = "elements are read and set with parentheses: square brackets hold types";
    let mut last = close;
    while let Some(next) = p.matching(last + 1).filter(|_| p.kind_at(last + 1) == T!['[']) {
        last = next;
    }
    let range = p.input.range(p.lexed, open).cover(p.input.range(p.lexed, last));
    if last > close {
        p.report(p.position, crate::syntax_error::SyntaxError::new(range, message).as_gap());
        p.hint("write `a(i, j)` for an array of two dimensions, and `a(i)(j)` for a rail of rails");
        return;
    }
    p.error_at(range, message);
    p.hint("write `a(i)`, and `a(i) = value`");
    let inside = p.text_of(open + 1, close).to_owned();
    p.replace_by(format!("({inside})"));
}

/// Whether `[n]` after the class in `new` is the length of an array, not types.
pub(crate) fn is_array_length(p: &Parser<'_>) -> bool {
    let open = p.position;
    let length = match p.kind_at(open + 1) {
        IDENT => {
            p.text(open + 1).starts_with(char::is_lowercase)
                && !foreign_lookahead::TYPES.contains(&p.text(open + 1))
        }
        kind => matches!(kind, INT_NUMBER | T![']'] | T!['(']),
    };
    p.at(T!['[']) && length && p.matching(open).is_some_and(|it| p.kind_at(it + 1) != T!['('])
}

/// Whether `[]` after a type makes an array of it; before a parenthesis it lacks type arguments.
pub(crate) fn is_array(p: &Parser<'_>) -> bool {
    p.at(T!['[']) && p.nth(1) == T![']'] && p.nth(2) != T!['(']
}

/// `T[]`, `T[][]`, at the brackets; the type starts at `start`.
pub(crate) fn array_type(p: &mut Parser<'_>, start: usize, element: Completed) -> Completed {
    let mut rail = type_name(p.text_of(start, p.position)).to_owned();
    let m = element.precede(p);
    while is_array(p) {
        rail = format!("Rail[{rail}]");
        p.bump();
        p.bump();
    }
    let range = p.range_since(start);
    p.error_at(range, "an array is a `Rail`");
    p.hint(&format!("write `{rail}`"));
    p.replace_by(rail);
    m.complete(p, ERROR)
}

/// Whether `(T) x` is here: a cast as other languages write it. The value starts as nothing that may follow a
/// parenthesis does.
pub(crate) fn is_cast(p: &Parser<'_>) -> bool {
    let start = p.position;
    let value =
        matches!(p.kind_at(start + 3), IDENT | INT_NUMBER | FLOAT_NUMBER | STRING | T![this] | T![new]);
    p.at(T!['('])
        && p.kind_at(start + 1) == IDENT
        && p.kind_at(start + 2) == T![')']
        && value
        && !p.input.newline_before(start + 3)
}

/// `(T) x`
pub(crate) fn cast(p: &mut Parser<'_>) -> Completed {
    let start = p.position;
    let ty = type_name(p.text(start + 1)).to_owned();
    let m = p.start();
    p.bump();
    p.parse_type_with(BraceMeaning::Other);
    p.eat(T![')']);
    let value = p.position;
    p.parse_unary();
    if p.last_error != p.position {
        let text = format!("{} as {ty}", p.text_of(value, p.position));
        let range = p.range_since(start);
        p.error_at(range, "a cast follows its value");
        p.hint(&format!("write `{text}`"));
        p.replace_by(text);
    }
    m.complete(p, CAST_EXPR)
}

/// `new T[n]`: at the bracket.
pub(crate) fn array_length(p: &mut Parser<'_>, class: usize) {
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    let range = p.input.range(p.lexed, class).cover(p.input.range(p.lexed, close));
    let element = type_name(p.text_of(class, open)).to_owned();
    let length = p.text_of(open + 1, close).to_owned();
    let text = match (length.is_empty(), p.kind_at(close + 1)) {
        (true, T!['{']) => "[a, b, c]".to_owned(),
        (true, _) => format!("Rail[{element}](n)"),
        (false, _) => format!("Rail[{element}]({length})"),
    };
    p.error_at(range, "an array is a `Rail`");
    if text.starts_with('[') {
        p.hint("a rail of given elements is written `[a, b, c]`");
    } else {
        p.hint(&format!("write `new {text}`"));
        // `new T[n][m]` makes rails of rails, each by itself.
        if p.kind_at(close + 1) != T!['['] {
            p.replace_by(text);
        }
    }
    skip_as_error(p, close + 1);
    if p.at(T!['{']) {
        p.skip_balanced();
    }
}
