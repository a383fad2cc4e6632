//! Blocks, and the statements that are not introduced by a keyword.

use crate::parser::grammar::bodies::Body;
use crate::parser::grammar::context::Tail;
use crate::parser::grammar::formals::Needs;
use crate::parser::grammar::names::name;
use crate::parser::grammar::recovery::{
    cuda, foreign_lookahead, foreign_syntax, foreign_words, replacement, reserved_words, typos,
};
use crate::parser::grammar::token_sets::{MEMBER_KEYWORDS, MODIFIERS, STMT_KEYWORDS, STOP, TYPE_DECL};
use crate::parser::grammar::{controls, exprs, formals, items, lists, lookahead};
use crate::parser::limits::CHAIN_LIMIT;
use crate::parser::state::{Marker, Parser};
use crate::parser::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::{self, *};

/// `{ ... }`, with annotations before it. Without the opening brace, all up to the closing one.
pub(super) fn block(p: &mut Parser<'_>, tail: Tail) {
    block_with(p, tail, false);
}

/// The block of a constructor: it may start with `this(...)` or `super(...)`.
pub(super) fn constructor_block(p: &mut Parser<'_>) {
    block_with(p, Tail::No, true);
}

/// Whether the block ended in an expression.
fn block_with(p: &mut Parser<'_>, tail: Tail, of_constructor: bool) -> bool {
    let m = p.start();
    items::annotations(p);
    let body = Body::open(p).or_else(|| {
        p.missing("expected `{`");
        (p.input.extra_close && !p.at_end()).then(|| Body::forgotten(p))
    });
    let Some(body) = body else {
        m.complete(p, BLOCK);
        return false;
    };
    if of_constructor && at_constructor_call(p) {
        constructor_call_or_property(p);
    }
    let found = p.nested(|p| Some(statements(p, &body, tail)));
    body.close(p, found.is_some());
    m.complete(p, BLOCK);
    found.unwrap_or(false)
}

/// Statements up to the closing brace; whether the last was an expression without `;`.
fn statements(p: &mut Parser<'_>, body: &Body, tail: Tail) -> bool {
    while !body.end(p) && !p.at_end() {
        if body.opened().is_some_and(|open| foreign_words::at_local_function(p, open)) {
            foreign_words::local_function(p);
            continue;
        }
        if at_member(p) {
            break;
        }
        if body.opened().is_some_and(|open| at_else_of(p, open)) {
            p.ended_by_else += 1;
            break;
        }
        let before = p.position;
        if stmt_or_tail(p, tail) {
            return true;
        }
        if p.position == before {
            p.unexpected("expected a statement");
            p.skip_balanced();
        }
    }
    false
}

/// Blocks that end at one `else`. Where more braces are missing, indentation does not show the `if` of each.
const ENDED_BY_ELSE: u32 = 100;

/// Whether the `else` of the `if` is here whose block opens at `open`: the brace that ends the block is
/// missing.
fn at_else_of(p: &Parser<'_>, open: usize) -> bool {
    let is_open =
        p.at(T![else]) && p.input.is_paired && p.ended_by_else < ENDED_BY_ELSE && p.matching(open).is_none();
    let condition = open.checked_sub(1).filter(|close| is_open && p.kind_at(*close) == T![')']);
    condition.and_then(|close| p.matching(close)).is_some_and(|it| it > 0 && p.kind_at(it - 1) == T![if])
}

/// Whether a member of a class starts here: the brace that ends the block is missing.
pub(super) fn at_member(p: &Parser<'_>) -> bool {
    if p.at_set(&MEMBER_KEYWORDS) || p.at(T![import]) || p.at(T![package]) {
        return true;
    }
    if !(p.at_set(&MODIFIERS) || p.at(T![@]) || p.at(T![property]) || p.at(T![operator])) {
        return false;
    }
    let after = lookahead::after_modifiers(p, p.position);
    match p.kind_at(after) {
        T![def] => true,
        T![operator] => after > p.position && p.at_set(&MODIFIERS) || p.kind_at(after + 1) == T![this],
        T![property] => p.kind_at(after + 1) == IDENT,
        _ => false,
    }
}

/// A statement where no value may stand.
pub(super) fn stmt(p: &mut Parser<'_>) {
    stmt_with_tail(p, Tail::No);
}

/// The statement that is a part of another; with `Tail::Value`, an expression before the closing brace too;
/// then the answer is yes.
pub(super) fn stmt_with_tail(p: &mut Parser<'_>, tail: Tail) -> bool {
    let saved = std::mem::replace(&mut p.at_statement, false);
    let has_value = p.nested(|p| Some(stmt_or_tail(p, tail)));
    p.at_statement = saved;
    has_value.unwrap_or(false)
}

/// A statement. With `Tail::Value`, an expression before the closing brace too; then the answer is yes.
fn stmt_or_tail(p: &mut Parser<'_>, tail: Tail) -> bool {
    if p.at(IDENT) && !foreign_lookahead::is_mark(p, p.position) {
        if cuda::array(p) || foreign_syntax::library_statement(p) || foreign_words::statement(p) {
            return false;
        }
        typos::statement(p);
    }
    let annotated = lookahead::after_annotations(p, p.position);
    let start = lookahead::after_modifiers(p, p.position);
    let m = p.start();
    match p.kind_at(start) {
        _ if reserved_words::is_value(p, start) => return stmt_after_annotations(p, m, annotated, tail),
        kind if TYPE_DECL.contains(kind) => local_type(p, m),
        T![val] | T![var] => local(p, m),
        IDENT if foreign_syntax::is_walrus(p, p.position) => foreign_syntax::walrus(p, m),
        IDENT if foreign_syntax::is_final_variable(p, start) => local(p, m),
        IDENT | T!['['] if is_local(p, start) => local(p, m),
        IDENT if foreign_lookahead::is_variable(p, start) => local(p, m),
        _ => return stmt_after_annotations(p, m, annotated, tail),
    }
    false
}

/// Whether a local without `val` and `var` starts at `index`: `x:T = e`, but not a label.
fn is_local(p: &Parser<'_>, index: usize) -> bool {
    lookahead::is_typed_declarator(p, index) && !is_label(p, index) && !foreign_syntax::at_scope(p, index + 1)
}

/// What begins a statement and no type: after `name :`, the name is a label.
const LABELLED: TokenSet = TokenSet::new(&[
    T!['{'],
    T![for],
    T![while],
    T![do],
    T![ateach],
    T![if],
    T![switch],
    T![try],
    T![finish],
    T![atomic],
    T![when],
]);

/// Whether a label starts at `index`, perhaps one of a few.
fn is_label(p: &Parser<'_>, index: usize) -> bool {
    let is_name = |at: usize| p.kind_at(at) == IDENT && p.kind_at(at + 1) == T![:];
    let names = (0..4).take_while(|nth| is_name(index + 2 * nth)).count();
    names > 0 && LABELLED.contains(p.kind_at(index + 2 * names))
}

fn stmt_after_annotations(p: &mut Parser<'_>, m: Marker, annotated: usize, tail: Tail) -> bool {
    match p.kind_at(annotated) {
        T!['{'] => {
            m.abandon(p);
            block(p, Tail::No);
        }
        T![;] => {
            items::annotations(p);
            p.bump();
            m.complete(p, EMPTY_STMT);
        }
        IDENT if foreign_syntax::at_foreach(p, annotated) => {
            items::annotations(p);
            controls::parallel_for(p);
            m.complete(p, FOR_IN_STMT);
        }
        IDENT if is_label(p, annotated) => {
            items::annotations(p);
            name(p);
            p.bump();
            stmt(p);
            m.complete(p, LABELED_STMT);
        }
        kind if controls::starts(p, kind, annotated) && !reserved_words::is_value(p, annotated) => {
            return controls::statement(p, m, tail);
        }
        _ => return expr_stmt(p, m, tail),
    }
    false
}

fn local_type(p: &mut Parser<'_>, m: Marker) {
    items::modifier_list(p);
    if p.at(T![interface]) {
        p.error("an interface cannot be local");
        p.hint("declare it in the class, or beside it");
        p.last_error = usize::MAX;
    }
    items::type_decl(p, m);
}

fn local(p: &mut Parser<'_>, m: Marker) {
    local_without_semicolon(p);
    semicolon(p);
    m.complete(p, LOCAL_DECL);
}

/// A declaration of locals without its end, for the header of a `for` too.
pub(super) fn local_without_semicolon(p: &mut Parser<'_>) {
    let start = lookahead::after_modifiers(p, p.position);
    let is_final = p.kind_at(start) == IDENT && foreign_syntax::is_final_variable(p, start);
    items::modifier_list(p);
    if is_final {
        foreign_syntax::final_variable(p);
    }
    let keyword =
        p.eat(T![val]) || p.eat(T![var]) || is_final || foreign_lookahead::is_variable(p, p.position);
    formals::declarators(p, if keyword { Needs::TypeOrValue } else { Needs::TypeAndValue });
}

/// Whether a declaration of locals starts here.
pub(super) fn at_local(p: &Parser<'_>) -> bool {
    let start = lookahead::after_modifiers(p, p.position);
    matches!(p.kind_at(start), T![val] | T![var])
        || is_local(p, start)
        || foreign_lookahead::is_variable(p, start)
}

/// An expression statement, or one of the forms that start with an expression.
fn expr_stmt(p: &mut Parser<'_>, m: Marker, tail: Tail) -> bool {
    if !exprs::at_first(p) {
        let keyword = p.current();
        // What closes nothing is what an error before has left.
        if matches!(keyword, T![')'] | T![']']) && p.own_errors > 0 {
            while matches!(p.current(), T![')'] | T![']']) {
                p.skip_balanced();
            }
            p.eat(T![;]);
            m.abandon(p);
            return false;
        }
        p.error_recover(no_statement(p), &STOP);
        if !p.at_set(&STOP) || p.at(T![;]) {
            p.eat(T![;]);
        }
        leftover(p, keyword);
        m.abandon(p);
        return false;
    }
    let start = p.position;
    let expr = exprs::statement_expr(p);
    let braces = matches!(p.current(), T!['{'] | T!['('] | T!['[']);
    if braces && expr.is_some() && is_trailing_closure(p) {
        trailing_closure(p, m);
        return false;
    }
    if p.at(T![.]) && controls::is_keyword_call(p) {
        controls::keyword_call(p, m);
        return false;
    }
    if p.at(T![.]) && matches!(p.nth(1), T![this] | T![super]) {
        p.bump();
        constructor_call(p, m);
        return false;
    }
    if tail == Tail::Value && p.at(T!['}']) {
        m.abandon(p);
        return true;
    }
    if expr.is_some_and(|it| matches!(it.kind, FIELD_EXPR | NAME_EXPR)) {
        foreign_syntax::unopened_call(p);
    }
    if !expr.is_some_and(|expr| foreign_syntax::value_without_return(p, start, expr)) {
        semicolon(p);
    }
    m.complete(p, EXPR_STMT);
    false
}

fn no_statement(p: &Parser<'_>) -> String {
    match p.current() {
        T![else] => "this `else` has no `if`".into(),
        T![catch] => "this `catch` has no `try`".into(),
        T![finally] => "this `finally` has no `try`".into(),
        T![case] | T![default] => "`case` and `default` stand directly in a `switch`".into(),
        T![goto] => "there is no `goto`: loops are left by `break` and `continue`, also with a label".into(),
        kind if kind.is_keyword() => {
            format!("expected a statement, found `{}`", kind.text().unwrap_or_default())
        }
        _ => "expected a statement".into(),
    }
}

/// Skips parentheses or the part before a colon after a keyword that starts no statement, and parses a block
/// after it.
fn leftover(p: &mut Parser<'_>, keyword: SyntaxKind) {
    if matches!(keyword, T![case] | T![default]) {
        let m = p.start();
        while !p.at_line_start() && !p.at(T![:]) && !at_boundary(p) {
            p.bump();
        }
        p.eat(T![:]);
        m.complete(p, ERROR);
    }
    if keyword.is_keyword() && p.at(T!['(']) {
        p.skip_balanced();
    }
    if p.at(T!['{']) {
        block(p, Tail::No);
    }
}

/// Whether `[T](args) { ... }` follows, each part but the braces optional.
fn is_trailing_closure(p: &Parser<'_>) -> bool {
    let mut index = p.position;
    for open in [T!['['], T!['(']] {
        if p.kind_at(index) == open {
            match p.matching(index) {
                Some(close) => index = close + 1,
                None => return false,
            }
        }
    }
    p.kind_at(index) == T!['{']
}

fn trailing_closure(p: &mut Parser<'_>, m: Marker) {
    if p.at(T!['[']) {
        lists::type_arg_list(p);
    }
    if p.at(T!['(']) {
        lists::arg_list(p);
    }
    block(p, Tail::Value);
    m.complete(p, TRAILING_CLOSURE_STMT);
}

/// Whether `this(...);` or `super(...)` starts here, or the same of an outer object.
pub(super) fn at_constructor_call(p: &Parser<'_>) -> bool {
    let is_super = p.at(T![super]);
    if !(is_super || p.at(T![this])) {
        return false;
    }
    let mut index = p.position + 1;
    if p.kind_at(index) == T!['['] {
        match p.matching(index) {
            Some(close) => index = close + 1,
            None => return false,
        }
    }
    if p.kind_at(index) != T!['('] {
        return false;
    }
    is_super || p.matching(index).is_none_or(|it| matches!(p.kind_at(it + 1), T![;] | T!['}']))
}

/// `this(...)`, `super(...)` or `property(...)`, with its `;`.
pub(super) fn constructor_call_or_property(p: &mut Parser<'_>) {
    let m = p.start();
    if p.at(T![property]) {
        controls::statement(p, m, Tail::No);
    } else {
        constructor_call(p, m);
    }
}

/// The rest of a call of a constructor, at `this` or `super`.
pub(super) fn constructor_call(p: &mut Parser<'_>, m: Marker) {
    p.bump();
    if p.at(T!['[']) {
        lists::type_arg_list(p);
    }
    lists::arg_list(p);
    semicolon(p);
    m.complete(p, CONSTRUCTOR_CALL_STMT);
}

/// The `;` that ends a statement; without it, the rest of the line that starts no statement is skipped.
pub(super) fn semicolon(p: &mut Parser<'_>) {
    if p.at(T![')']) && p.nth(1) == T![;] && p.matching(p.position).is_none() {
        p.unexpected("this `)` closes nothing");
        p.hint("remove it, or write the `(` that it closes");
        // `x.f)` may be a call that lacks its `(`.
        let is_member =
            p.kind_at(p.position - 1) == IDENT && p.position > 1 && p.kind_at(p.position - 2) == T![.];
        if !is_member {
            p.replace_by(String::new());
        }
        replacement::skip_as_error(p, 1);
    }
    if p.expect(T![;]) || p.at_line_start() || at_boundary(p) {
        return;
    }
    let m = p.start();
    while !p.at_line_start() && !at_boundary(p) && !p.at(T![;]) {
        match p.current() {
            T!['('] | T!['['] => p.skip_balanced(),
            _ => p.bump(),
        }
    }
    m.complete(p, ERROR);
    if !p.at_line_start() {
        p.eat(T![;]);
    }
}

fn at_boundary(p: &Parser<'_>) -> bool {
    let kind = p.current();
    matches!(kind, EOF | T!['}'] | T!['{'] | T![def] | T![finish] | T![else] | T![catch] | T![finally])
        || TYPE_DECL.contains(kind)
        || STMT_KEYWORDS.contains(kind)
        || (kind == T![at] && p.nth(1) == T!['('])
}

/// For a chain of `else if`, which does not nest.
pub(super) const ELSE_LIMIT: u32 = CHAIN_LIMIT;

/// A block that may end in an expression; whether it does.
pub(super) fn tail_block(p: &mut Parser<'_>) -> bool {
    block_with(p, Tail::Value, false)
}

/// The block of an `at` statement. If it ends in an expression and `;` follows, the whole is an expression;
/// the answer is yes.
pub(super) fn at_block(p: &mut Parser<'_>) -> bool {
    let open = lookahead::after_annotations(p, p.position);
    let may_be_value = p.matching(open).is_some_and(|it| p.kind_at(it + 1) == T![;]);
    block_with(p, if may_be_value { Tail::Value } else { Tail::No }, false)
}
