//! Values of other languages: parsed as their X10 equivalents, with one error that says what to write.

use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::names::{name, name_ref};
use crate::parser::grammar::operand::Operand;
use crate::parser::grammar::recovery::foreign_words;
use crate::parser::grammar::recovery::replacement::{adjacent, range_of, replaced, skip_as_error};
use crate::parser::grammar::token_sets::SIGNATURE;
use crate::parser::grammar::{lists, lookahead};
use crate::parser::state::{Completed, Parser};
use crate::syntax_kind::SyntaxKind::{self, *};

//--- Closures

/// Words that start a closure elsewhere.
const CLOSURE: &[&str] = &["fun", "fn", "func", "function", "lambda"];

/// Whether `fun (x:T)` and a body are here.
pub(crate) fn at_worded_closure(p: &Parser<'_>) -> bool {
    let open = p.position + 1;
    if !CLOSURE.contains(&p.text(p.position)) {
        return false;
    }
    match p.kind_at(open) {
        T!['('] => {
            // Nothing is known of `fun()`: it may be a call.
            let formals = lookahead::is_typed_declarator(p, open + 1);
            let body =
                |close: usize| matches!(p.kind_at(close + 1), T!['{'] | T![:] | T![=>] | T![->] | T![=]);
            formals && p.matching(open).is_some_and(body)
        }
        // `lambda x: e`
        IDENT => matches!(p.kind_at(open + 1), T![:] | T![,]),
        _ => false,
    }
}

/// `fun (x:T):U { ... }`
pub(crate) fn worded_closure(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    p.error("a closure has no word before its formals");
    p.hint("write `(x:Type) => value`, or `(x:Type) => { ...; return value; }`");
    p.bump();
    if p.at(IDENT) {
        let errors = p.errors.len();
        while matches!(p.current(), IDENT | T![,]) {
            p.bump();
        }
        p.eat(T![:]);
        p.parse_expr();
        p.errors.truncate(errors);
        return m.complete(p, ERROR);
    }
    p.parse_formal_list();
    p.parse_result_type(BraceMeaning::Other);
    if matches!(p.current(), T![=>] | T![->] | T![=]) {
        p.bump();
    }
    p.parse_closure_body();
    m.complete(p, CLOSURE_EXPR)
}

//--- Tuples

const NO_TUPLES: &str = "X10 has no tuples";
const NO_DESTRUCTURING: &str = "a value cannot be destructured by parentheses";

/// Whether the statement around the parenthesis at `open` has an error that there are no tuples.
fn is_said(p: &Parser<'_>, open: usize) -> bool {
    let starts = |index: &usize| matches!(p.kind_at(*index), T![;] | T!['{'] | T!['}']);
    let start = (0..open).rev().find(starts).map_or(0, |it| it + 1);
    let start = p.input.range(p.lexed, start).start();
    let last = p.errors.last().filter(|it| it.range.start() >= start);
    last.is_some_and(|it| it.message == NO_TUPLES || it.message == NO_DESTRUCTURING)
}

/// `(T, U)` as a type, at the parenthesis.
pub(crate) fn tuple_type(p: &mut Parser<'_>) {
    let close = p.matching(p.position).unwrap_or(p.position);
    let range = range_of(p, p.position, close);
    p.error_at(range, NO_TUPLES);
    p.hint("make a struct with a field for each value; two values are an `x10.util.Pair[T,U]`");
    p.skip_balanced();
}

/// `(a, b)`, at the first comma; the parenthesis opened at `open`.
pub(crate) fn tuple(p: &mut Parser<'_>, open: usize) {
    let close = p.matching(open).unwrap_or(p.position);
    let range = range_of(p, open, close);
    if open > 0 && p.kind_at(open - 1) == T![assert] {
        p.error_at(range, "an assertion has no parentheses around its parts");
        p.hint("write `assert condition : message;`");
    } else if !is_said(p, open) {
        p.error_at(range, NO_TUPLES);
        p.hint("make a struct with a field for each value; two values are an `x10.util.Pair`: `Pair(a, b)`");
    }
    while p.eat(T![,]) {
        if p.at_expr_start() {
            p.parse_expr();
        }
    }
}

//--- Rails

/// Whether `{a, b}` is here, in place of a value.
pub(crate) fn at_braced_rail(p: &Parser<'_>) -> bool {
    let open = p.position;
    let Some(close) = p.matching(open).filter(|it| *it > open + 1) else { return false };
    let after_value =
        matches!(p.kind_at(open.wrapping_sub(1)), T![=] | T!['('] | T![,] | T!['{'] | T![return]);
    let before_end = matches!(p.kind_at(close + 1), T![;] | T![,] | T![')'] | T!['}']);
    after_value && before_end && !lookahead::has_statements(p, open, close)
}

/// `{a, b}`
pub(crate) fn braced_rail(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    // Of braces in braces one place is enough.
    if p.kind_at(open.wrapping_sub(1)) != T!['{'] && p.last_error != open {
        let range = range_of(p, open, close);
        p.error_at(range, "the elements of a rail stand in brackets");
        p.hint("write `[1, 2, 3]`");
        let inside = p.text_of(open + 1, close);
        if !inside.contains('{') {
            let text = format!("[{}]", inside.trim());
            p.replace_by(text);
        }
    }
    p.bump();
    lists::bracketed(
        p,
        open,
        T!['}'],
        "an expression",
        |p| p.at_expr_start(),
        |p| {
            p.parse_expr();
        },
    );
    m.complete(p, RAIL_EXPR)
}

//--- Blocks

/// Whether a block is here, in place of a value.
pub(crate) fn at_braced_value(p: &Parser<'_>) -> bool {
    let open = p.position;
    let after_value = matches!(p.kind_at(open.wrapping_sub(1)), T![=] | T!['('] | T![,] | T![return]);
    after_value && !p.at_line_start() && p.matching(open).is_some_and(|close| close > open + 1)
}

/// `{ ...; e }`
pub(crate) fn braced_value(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    let is_plain = (open + 1..close).all(|it| !matches!(p.kind_at(it), T![;] | T!['{']));
    if is_plain && p.nth(1) == T![if] && p.nth(2) == T!['('] {
        p.bump();
        if_value(p);
        let is_whole = p.position == close;
        let range = range_of(p, open, close);
        // What is written instead has no braces.
        if let Some(error) = p.errors.last_mut().filter(|it| range.contains_range(it.range)) {
            // Nor what stands behind the `if`, which would be lost.
            match is_whole {
                true => error.range = range,
                false => error.replacement = None,
            }
        }
    } else {
        p.error("a block has no value");
        p.hint("compute the value before, in a `val`, or call a closure: `(() => { ...; value })()`");
        p.bump();
        while p.position < close && !p.at_end() {
            p.bump();
        }
    }
    while p.position <= close && !p.at_end() {
        p.bump();
    }
    // No more is known of it than that it is an argument.
    let m = m.complete(p, ERROR).precede(p);
    m.complete(p, NAME_EXPR)
}

//--- Statements

/// Whether a statement is here that has a value elsewhere, in place of a value: `val x = switch (y) { ... }`.
pub(crate) fn at_statement(p: &Parser<'_>) -> bool {
    let before = p.kind_at(p.position.wrapping_sub(1));
    let wanted = matches!(before, T![=] | T![=>] | T![return] | T!['('] | T![,]);
    if !wanted || p.at_line_start() {
        return false;
    }
    match p.current() {
        T![if] | T![switch] => p.nth(1) == T!['('],
        T![try] => p.nth(1) == T!['{'],
        IDENT | T![when] => foreign_words::match_body(p).is_some(),
        _ => false,
    }
}

/// A statement in place of a value.
pub(crate) fn statement(p: &mut Parser<'_>) -> Completed {
    if p.at(T![if]) {
        return if_value(p);
    }
    let m = p.start();
    let start = p.position;
    let (word, body) = (p.text(start), foreign_words::match_body(p));
    let is_try = p.at(T![try]);
    p.bump();
    while p.position < body.unwrap_or(p.position) {
        p.bump();
    }
    while matches!(p.current(), T!['('] | T!['{']) || is_try && matches!(p.current(), T![catch] | T![finally])
    {
        match p.matching(p.position) {
            None if p.at(T!['(']) || p.at(T!['{']) => break,
            None => p.bump(),
            Some(_) => {
                let is_body = p.at(T!['{']);
                p.skip_balanced();
                if is_body && !is_try {
                    break;
                }
            }
        }
    }
    let range = p.range_since(start);
    p.error_at(range, format!("{} `{word}` has no value", if word == "if" { "an" } else { "a" }));
    p.hint(match is_try {
        true => "declare a `var` before it, and assign to that in it and in each `catch`",
        false => "declare a `var` before a `switch`, and assign to that in each `case`; or `return` from each in a method or closure",
    });
    // No more is known of it than that it is an argument.
    let m = m.complete(p, ERROR).precede(p);
    m.complete(p, NAME_EXPR)
}

/// `if (c) a else b` in place of a value.
pub(crate) fn if_value(p: &mut Parser<'_>) -> Completed {
    let start = p.position;
    let m = p.start();
    let is_whole = matches!(
        p.kind_at(start.wrapping_sub(1)),
        T![=] | T![=>] | T![return] | T!['('] | T![,] | T!['['] | T!['{']
    );
    let (text, is_plain) = conditional(p);
    if p.last_error != p.position {
        let range = p.range_since(start);
        p.error_at(range, "an `if` has no value");
        p.hint("write `condition ? a : b`");
        if let Some(text) = text {
            p.replace_by(if is_whole { text } else { format!("({text})") });
        }
    }
    m.complete(p, if is_plain { CONDITIONAL_EXPR } else { ERROR })
}

/// `if (c) a else b`: what to write for it, and whether both branches are there without braces.
fn conditional(p: &mut Parser<'_>) -> (Option<String>, bool) {
    p.bump();
    let condition = p.position;
    p.parse_in_parens();
    let condition = p.text_of(condition, p.position).trim().to_owned();
    let (then, is_plain) = branch(p);
    if !p.eat(T![else]) {
        return (None, false);
    }
    let (otherwise, is_too) = match p.current() {
        T![if] => {
            let m = p.start();
            let (text, is_plain) = conditional(p);
            m.complete(p, if is_plain { CONDITIONAL_EXPR } else { ERROR });
            (text.map(|it| format!("({it})")), is_plain)
        }
        _ => branch(p),
    };
    let text = then.zip(otherwise).map(|(a, b)| format!("{condition} ? {a} : {b}"));
    (text, is_plain && is_too)
}

/// `e`, or `{ e }`: the text of the value, if it is all there is, and whether it has no braces.
fn branch(p: &mut Parser<'_>) -> (Option<String>, bool) {
    let start = p.position;
    if !p.at(T!['{']) {
        p.parse_expr();
        return (Some(p.text_of(start, p.position).trim().to_owned()), true);
    }
    p.skip_balanced();
    let inside = start + 1..p.position - 1;
    let is_value = !inside.is_empty()
        && inside.clone().all(|it| !matches!(p.kind_at(it), T![;] | T!['{'] | T![=] | T![val] | T![var]))
        && inside.clone().skip(1).all(|it| !p.input.newline_before(it));
    (is_value.then(|| p.text_of(inside.start, inside.end).trim().to_owned()), false)
}

//--- Operators

/// The operator that a word between two operands is: `a and b`.
pub(crate) fn at_word_operator(p: &Parser<'_>) -> bool {
    p.at(IDENT)
        && matches!(p.text(p.position), "and" | "or" | "xor" | "mod")
        && !p.at_line_start()
        && (p.nth(1) == T!['('] || p.nth(1) == T![!] || p.nth(1) == IDENT || p.nth(1).is_literal())
}

/// The word, skipped.
pub(crate) fn word_operator(p: &mut Parser<'_>) {
    let (word, op) = match p.text(p.position) {
        "and" => ("and", "&&"),
        "xor" => ("xor", "^"),
        "mod" => ("mod", "%"),
        _ => ("or", "||"),
    };
    replaced(p, 1, &format!("there is no operator `{word}`"), &format!("write `a {op} b`"), op);
}

/// Whether `not x` is here.
pub(crate) fn at_not(p: &Parser<'_>) -> bool {
    let operand = p.nth(1) == IDENT || p.nth(1).is_literal();
    operand && p.text(p.position) == "not" && !p.input.newline_before(p.position + 1)
}

/// `not x`
pub(crate) fn not(p: &mut Parser<'_>) -> Operand {
    let m = p.start();
    replaced(p, 1, "there is no operator `not`", "write `!x`", "!");
    p.parse_unary();
    Operand::expr(m.complete(p, PREFIX_EXPR))
}

/// The third sign of `===`, after `==`; of `!==`, after `!=`.
pub(crate) fn third_sign(p: &mut Parser<'_>, op: SyntaxKind) {
    let tight = p.at(T![=]) && adjacent(p, p.position - 1);
    if !(tight && matches!(op, T![==] | T![!=])) {
        return;
    }
    let op = op.text().unwrap_or_default();
    let range = range_of(p, p.position - 1, p.position);
    p.error_at(range, format!("there is no operator `{op}=`"));
    p.hint(&format!("`{op}` compares, and converts nothing"));
    p.replace_by(op.to_owned());
    skip_as_error(p, 1);
}

/// Whether `...`, or the `..=` of `0..=9`, is here; after a variable, the latter assigns.
pub(crate) fn at_range_sign(p: &Parser<'_>) -> bool {
    match p.current() {
        T![...] => true,
        T![..=] => p.kind_at(p.position - 1) == INT_NUMBER,
        _ => false,
    }
}

/// The operator in `0...9` and `0..=9`.
pub(crate) fn range_sign(p: &mut Parser<'_>) {
    let hint = "a range has both its ends: `0..(n-1)` has `n` numbers";
    replaced(p, 1, "a range is written `..`", hint, "..");
}

/// The `<` of `0..<n`, after `..`.
pub(crate) fn open_end(p: &mut Parser<'_>) {
    if p.at(T![<]) && adjacent(p, p.position - 1) {
        let range = range_of(p, p.position - 1, p.position);
        p.error_at(range, "a range is written `..`");
        p.hint("a range has both its ends: `0..(n-1)` has `n` numbers");
        skip_as_error(p, 1);
    }
}

/// Whether `?.` is here, after a value.
pub(crate) fn at_safe_call(p: &Parser<'_>) -> bool {
    p.at(T![?]) && p.nth(1) == T![.] && adjacent(p, p.position)
}

/// The question mark.
pub(crate) fn safe_call(p: &mut Parser<'_>, lhs: Operand) -> Operand {
    let range = range_of(p, p.position, p.position + 1);
    p.error_at(range, "there is no `?.`");
    p.hint("test before: `x == null ? other : x.member`");
    let m = lhs.node.precede(p);
    skip_as_error(p, 1);
    p.eat(T![.]);
    name_ref(p);
    Operand::expr(m.complete(p, FIELD_EXPR))
}

//--- Types

/// `?` right after a type, as other languages say that it may be null.
pub(crate) fn nullable(p: &mut Parser<'_>) {
    let after = matches!(p.nth(1), T![=] | T![,] | T![')'] | T![;] | T![']'] | T!['{']);
    if p.at(T![?]) && after && adjacent(p, p.position - 1) {
        let hint = "a class type may be null as it is; for a type that may not, write `T{self != null}`";
        replaced(p, 1, "there is no `?` after a type", hint, "");
    }
}

/// The arrow before the result of a method: `def f() -> T`.
pub(crate) fn result_arrow(p: &mut Parser<'_>) {
    if !p.at(T![->]) {
        return;
    }
    let m = p.start();
    let hint = "write `def name(x:Type):Result`";
    replaced(p, 1, "the result type of a method follows a colon", hint, ":");
    p.parse_type_with(BraceMeaning::Before(&SIGNATURE));
    m.complete(p, RESULT_TYPE);
}

//--- Loops

/// The step of a range, in the header of a loop: `1..10 by 2`.
pub(crate) fn step(p: &mut Parser<'_>) {
    let is_step = p.at(IDENT) && matches!(p.text(p.position), "by" | "step") && p.nth(1) != T![')'];
    if !is_step || p.at_line_start() {
        return;
    }
    p.error("a range has no step");
    p.hint("write `for (var i:Long = first; i <= last; i += step)`");
    let m = p.start();
    p.bump();
    p.parse_expr();
    m.complete(p, ERROR);
}

/// `val (a, b) = e`, at the parenthesis: names that are to get a part each.
pub(crate) fn destructured_formal(p: &mut Parser<'_>) {
    p.error(NO_DESTRUCTURING);
    p.hint("points are, by brackets: `val [i, j] = p`; of other values, name the parts one by one");
    let open = p.position;
    let close = p.matching(open).unwrap_or(open);
    if !(open + 1..close).all(|it| matches!(p.kind_at(it), IDENT | T![,])) {
        return p.skip_balanced();
    }
    // The names are there for what follows.
    let m = p.start();
    p.bump();
    lists::bracketed(
        p,
        open,
        T![')'],
        "a name",
        |p| p.at(IDENT),
        |p| {
            name(p);
        },
    );
    m.complete(p, POINT_PATTERN);
}
