//! Statements that start with a keyword.

use crate::ast::is_keyword_operator;
use crate::parser::grammar::bodies::Body;
use crate::parser::grammar::context::Tail;
use crate::parser::grammar::lookahead::Header;
use crate::parser::grammar::names::name_ref;
use crate::parser::grammar::recovery::{
    foreign_declarations, foreign_lookahead, foreign_syntax, foreign_values, foreign_words, replacement,
    typos,
};
use crate::parser::grammar::stmts::{block, semicolon, stmt};
use crate::parser::grammar::token_sets::{STMT_KEYWORDS, TYPE_DECL};
use crate::parser::grammar::{exprs, formals, items, lists, lookahead, stmts};
use crate::parser::state::{Marker, Parser};
use crate::syntax_kind::SyntaxKind::{self, *};

/// Whether the keyword `kind` at `index` starts a statement of its own kind.
pub(super) fn starts(p: &Parser<'_>, kind: SyntaxKind, index: usize) -> bool {
    match kind {
        T![finish] | T![at] => true,
        T![property] => matches!(p.kind_at(index + 1), T!['('] | T!['[']),
        T![super] => matches!(p.kind_at(index + 1), T!['('] | T!['[']),
        T![val] | T![var] => false,
        _ => STMT_KEYWORDS.contains(kind),
    }
}

/// A statement that starts with a keyword, after annotations which go into it. Whether it turned out to be an
/// expression that is the value of the block.
pub(super) fn statement(p: &mut Parser<'_>, m: Marker, tail: Tail) -> bool {
    items::annotations(p);
    let keyword = p.current();
    if keyword == T![super] {
        stmts::constructor_call(p, m);
        return false;
    }
    if keyword == T![at] {
        return at(p, m, tail);
    }
    p.bump();
    let kind = match keyword {
        T![if] => return if_(p, m),
        T![switch] => switch(p),
        T![while] => condition_and_body(p, WHILE_STMT),
        T![when] => condition_and_body(p, WHEN_STMT),
        T![do] => do_(p),
        T![for] => for_(p),
        T![ateach] => ateach(p),
        T![try] => try_(p),
        T![async] => async_(p),
        T![clocked] => clocked(p),
        T![finish] if foreign_syntax::is_collecting(p) => {
            return foreign_syntax::collecting_statement(p, m, tail);
        }
        T![finish] => body(p, FINISH_STMT),
        T![atomic] => body(p, ATOMIC_STMT),
        T![break] | T![continue] => {
            if p.at(IDENT) && !p.at_line_start() {
                name_ref(p);
            }
            semicolon(p);
            if keyword == T![break] { BREAK_STMT } else { CONTINUE_STMT }
        }
        T![property] => {
            if p.at(T!['[']) {
                lists::type_arg_list(p);
            }
            lists::arg_list(p);
            semicolon(p);
            PROPERTY_CALL_STMT
        }
        _ => with_value(p, keyword),
    };
    m.complete(p, kind);
    false
}

/// `return`, `throw`, `offer`, `assert`.
fn with_value(p: &mut Parser<'_>, keyword: SyntaxKind) -> SyntaxKind {
    let kind = match keyword {
        T![return] => RETURN_STMT,
        T![throw] => THROW_STMT,
        T![offer] => OFFER_STMT,
        _ => ASSERT_STMT,
    };
    if kind != RETURN_STMT || (exprs::at_first(p) && !p.at(T!['}'])) {
        exprs::expr(p);
    }
    if kind == ASSERT_STMT && p.at(T![,]) {
        let hint = "write `assert condition : message;`";
        replacement::replaced(p, 1, "the message of an assertion follows a colon", hint, ":");
        exprs::expr(p);
    }
    if kind == ASSERT_STMT && p.eat(T![:]) {
        exprs::expr(p);
    }
    semicolon(p);
    kind
}

/// `(e)`, directly in the node that is open.
pub(super) fn in_parens(p: &mut Parser<'_>) {
    let open = p.position;
    if !p.at(T!['(']) {
        // The condition is there all the same.
        match exprs::at_first(p) && !p.at_line_start() {
            true => foreign_syntax::without_parens(p),
            false => p.missing("expected `(`"),
        }
        return;
    }
    p.bump();
    lists::in_bracket(p, open, T![')'], "an expression", |p| {
        exprs::expr(p);
    });
}

fn body(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    body_or_tail(p, Tail::No);
    kind
}

/// The statement that is a body; an expression without `;` too, if the tail may be a value; then the answer
/// is yes.
fn body_or_tail(p: &mut Parser<'_>, tail: Tail) -> bool {
    if p.at(T!['}']) || p.at_end() {
        p.missing("expected a statement");
        return false;
    }
    if is_cut_off(p) || lone_declaration(p) {
        return false;
    }
    // Of a head that lacks its end, the brace lacks as well.
    let is_forgotten =
        p.last_error == p.position && p.at_line_start() && p.input.extra_close && !p.at(T!['{']);
    if is_forgotten {
        block(p, tail);
        return false;
    }
    stmts::stmt_with_tail(p, tail)
}

/// Reports a declaration in place of a statement, which must be in a block. A declaration on a line of its
/// own precedes an unfinished statement above it: then the result is true, and the declaration is not
/// touched.
fn lone_declaration(p: &mut Parser<'_>) -> bool {
    let kind = p.kind_at(lookahead::after_modifiers(p, p.position));
    if !(matches!(kind, T![val] | T![var]) || TYPE_DECL.contains(kind)) {
        return false;
    }
    let is_below = p.is_new_line_after(p.position - 1);
    if is_below {
        p.missing("expected a statement");
    } else {
        p.error("a declaration is no statement by itself");
    }
    p.hint("put braces around it and around what uses it: `{ val x = ...; ... }`");
    is_below
}

/// Whether something is missing just before, and the line here is no continuation: it was there before the
/// half of what is above.
pub(super) fn is_cut_off(p: &Parser<'_>) -> bool {
    p.last_error == p.position && !p.at(T!['{']) && p.is_new_line_after(p.position.saturating_sub(1))
}

fn condition_and_body(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    in_parens(p);
    body(p, kind)
}

/// `if`, after the keyword. A chain of `else if` is parsed in a loop: the statements nest, the parser does
/// not.
fn if_(p: &mut Parser<'_>, first: Marker) -> bool {
    let mut open = vec![first];
    loop {
        condition_and_body(p, IF_STMT);
        if p.at(IDENT) && open.len() < stmts::ELSE_LIMIT as usize {
            let m = p.start();
            if foreign_syntax::else_if(p) {
                open.push(m);
                continue;
            }
            m.abandon(p);
        }
        typos::keyword(p, T![else], T![if]);
        if !p.eat(T![else]) {
            break;
        }
        if p.at(T![if]) && open.len() < stmts::ELSE_LIMIT as usize {
            open.push(p.start());
            p.bump();
        } else {
            body(p, IF_STMT);
            break;
        }
    }
    while let Some(m) = open.pop() {
        m.complete(p, IF_STMT);
    }
    false
}

fn switch(p: &mut Parser<'_>) -> SyntaxKind {
    in_parens(p);
    switch_block(p);
    SWITCH_STMT
}

pub(super) fn switch_block(p: &mut Parser<'_>) {
    let m = p.start();
    let body = Body::open(p).or_else(|| {
        p.missing("expected `{`");
        let is_forgotten = p.input.extra_close && (p.at(T![case]) || p.at(T![default]));
        is_forgotten.then(|| Body::forgotten(p))
    });
    let Some(body) = body else {
        m.complete(p, SWITCH_BLOCK);
        return;
    };
    let done = p.nested(|p| {
        while !body.end(p) && !p.at_end() && !stmts::at_member(p) {
            switch_group(p, &body);
        }
        Some(())
    });
    body.close(p, done.is_some());
    m.complete(p, SWITCH_BLOCK);
}

fn switch_group(p: &mut Parser<'_>, body: &Body) {
    let m = p.start();
    let before = p.position;
    if !p.at(T![case]) && !p.at(T![default]) {
        p.missing("expected `case` or `default`");
    }
    while p.at(T![case]) || p.at(T![default]) {
        let m = p.start();
        let is_case = p.at(T![case]);
        p.bump();
        foreign_words::label_arrow(p);
        if is_case {
            exprs::expr(p);
        }
        p.expect(T![:]);
        m.complete(p, SWITCH_LABEL);
    }
    while !body.end(p) && !matches!(p.current(), T![case] | T![default] | EOF) && !stmts::at_member(p) {
        let before = p.position;
        stmt(p);
        if p.position == before {
            p.skip_balanced();
        }
    }
    if p.position == before {
        p.skip_balanced();
    }
    m.complete(p, SWITCH_GROUP);
}

fn do_(p: &mut Parser<'_>) -> SyntaxKind {
    body(p, DO_STMT);
    typos::keyword(p, T![while], T!['(']);
    if p.expect(T![while]) {
        in_parens(p);
        semicolon(p);
    }
    DO_STMT
}

fn for_(p: &mut Parser<'_>) -> SyntaxKind {
    let kind = for_header(p);
    body(p, kind)
}

/// What is between `for` and the body.
fn for_header(p: &mut Parser<'_>) -> SyntaxKind {
    let open = p.position;
    let form = if p.at(T!['(']) { lookahead::header(p, open) } else { Header::Bare };
    if form == Header::Bare && foreign_lookahead::is_loop(p, open) {
        foreign_declarations::loop_header(p);
        return FOR_IN_STMT;
    }
    if let Some(variable) = foreign_syntax::colon_loop_variable(p, form) {
        foreign_syntax::colon_loop(p, variable);
        return FOR_IN_STMT;
    }
    if foreign_syntax::at_bare_loop(p) {
        foreign_syntax::bare_loop(p);
        return FOR_IN_STMT;
    }
    if form != Header::Basic {
        loop_header(p, form);
        return FOR_IN_STMT;
    }
    p.inside(open, |p| basic_header(p, open));
    lists::close_bracket(p, open, T![')']);
    FOR_STMT
}

/// A loop whose rounds run at once elsewhere, at the word that starts it: `finish for (x in e) async`, if its
/// header says all of that.
pub(super) fn parallel_for(p: &mut Parser<'_>) {
    let word = p.position;
    let message = format!("there is no `{}`", p.text(word));
    let hint = "write `finish for (x in e) async` to start an activity for each element and wait for them; `for (x in e)` takes them one \
                after the other";
    let open = word + 1;
    let first = if p.kind_at(open) == T!['('] { open + 1 } else { open };
    let variable = p.matching(first).filter(|_| p.kind_at(first) == T!['[']).unwrap_or(first);
    if p.text(word) == "foreach" || p.kind_at(variable + 1) != T![in] {
        replacement::replaced(p, 1, &message, hint, "for");
        for_(p);
        return;
    }
    let errors = p.errors.len();
    replacement::skip_as_error(p, 1);
    for_header(p);
    p.errors.truncate(errors);
    p.last_error = usize::MAX;
    let end = p.position;
    // `forall i in r do f(i);`
    if first == open && p.at(T![do]) {
        replacement::skip_as_error(p, 1);
    }
    let range = replacement::range_of(p, word, p.position - 1);
    p.error_at(range, message);
    p.hint(hint);
    let header = p.text_of(open, end).trim().to_owned();
    p.replace_by(match first > open {
        true => format!("finish for {header} async"),
        false => format!("finish for ({header}) async"),
    });
    body(p, FOR_IN_STMT);
}

/// `on p { ... }` and `on p do ...`, an `at` of Chapel. Whether that was it.
pub(super) fn on_place(p: &mut Parser<'_>) -> bool {
    let start = p.position;
    let mut end = start + 1;
    // `on (p) { ... }` may be a call with a closure behind it.
    if p.kind_at(end) == T!['('] && p.matching(end).is_none_or(|close| p.kind_at(close + 1) != T![do]) {
        return false;
    }
    while !matches!(p.kind_at(end), T!['{'] | T![do]) {
        // A parenthesis that closes leads back to its own.
        if matches!(p.kind_at(end), EOF | T![;] | T!['}'] | T![')'] | T![']'] | T![=])
            || p.input.newline_before(end)
        {
            return false;
        }
        end = p.matching(end).unwrap_or(end) + 1;
    }
    if end == start + 1 {
        return false;
    }
    let place = p.text_of(start + 1, end).trim();
    let place = place.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(place);
    let meant = format!("at ({place})");
    let has_do = p.kind_at(end) == T![do];
    let range = replacement::range_of(p, start, if has_do { end } else { end - 1 });
    p.error_at(range, "there is no `on`");
    p.hint("`at (p) { ... }` goes to the place `p`");
    p.replace_by(meant);
    let m = p.start();
    replacement::skip_as_error(p, 1);
    exprs::header_expr(p);
    if p.position < end + usize::from(has_do) {
        replacement::skip_as_error(p, end + usize::from(has_do) - p.position);
    }
    body(p, AT_STMT);
    m.complete(p, AT_STMT);
    true
}

/// `(a; b; c` of a `for`.
fn basic_header(p: &mut Parser<'_>, open: usize) {
    p.bump();
    if !p.at(T![;]) {
        let m = p.start();
        if p.at(IDENT) {
            typos::statement(p);
        }
        if stmts::at_local(p) {
            let m = p.start();
            stmts::local_without_semicolon(p);
            m.complete(p, LOCAL_DECL);
        } else {
            expressions(p);
        }
        m.complete(p, FOR_INIT);
    }
    for nth in 0..2 {
        let is_there = p.expect(T![;]);
        // What the next line says is no longer in the header.
        if !is_there && p.at_line_start() {
            return;
        }
        if nth == 0 && !p.at(T![;]) && !p.at(T![')']) {
            exprs::expr(p);
        }
    }
    if !p.at(T![')']) && exprs::at_first(p) && !p.is_unfinished(open) {
        let m = p.start();
        expressions(p);
        m.complete(p, FOR_UPDATE);
    }
}

fn expressions(p: &mut Parser<'_>) {
    loop {
        exprs::expr(p);
        if !p.eat(T![,]) {
            return;
        }
    }
}

/// `(x in e)` or `(e)`, directly in the loop.
fn loop_header(p: &mut Parser<'_>, form: Header) {
    if form != Header::In {
        in_parens(p);
        return;
    }
    let open = p.position;
    p.bump();
    lists::in_bracket(p, open, T![')'], "a name", |p| {
        formals::loop_variable(p);
        if p.expect(T![in]) {
            exprs::expr(p);
            foreign_values::step(p);
        }
    });
}

fn ateach(p: &mut Parser<'_>) -> SyntaxKind {
    let form = if p.at(T!['(']) { lookahead::header(p, p.position) } else { Header::Bare };
    loop_header(p, form);
    clocked_clause(p);
    body(p, AT_EACH_STMT)
}

fn clocked_clause(p: &mut Parser<'_>) {
    if p.at(T![clocked]) && p.nth(1) == T!['('] {
        let m = p.start();
        p.bump();
        lists::arg_list(p);
        m.complete(p, CLOCKED_CLAUSE);
    }
}

fn async_(p: &mut Parser<'_>) -> SyntaxKind {
    clocked_clause(p);
    if p.at(T![clocked]) && p.nth(1) == T!['{'] {
        let range = replacement::range_of(p, p.position - 1, p.position);
        p.error_at(range, "`clocked` without clocks comes before `async`");
        p.hint("write `clocked async { ... }`; with the clocks named, `async clocked (c) { ... }`");
        p.replace_by("clocked async".to_owned());
        p.bump();
    }
    body(p, ASYNC_STMT)
}

/// `clocked async` and `clocked finish`, after `clocked`.
fn clocked(p: &mut Parser<'_>) -> SyntaxKind {
    if p.eat(T![finish]) {
        return body(p, FINISH_STMT);
    }
    let close = p.matching(p.position).filter(|it| p.at(T!['(']) && p.kind_at(it + 1) == T![async]);
    if let Some(close) = close {
        let range = replacement::range_of(p, p.position - 1, close + 1);
        p.error_at(range, "the clocks of an activity follow its `async`");
        let clocks = p.text_of(p.position, close + 1).to_owned();
        p.hint(&format!("write `async clocked{clocks}`"));
        p.replace_by(format!("async clocked{clocks}"));
        let m = p.start();
        lists::arg_list(p);
        m.complete(p, CLOCKED_CLAUSE);
    }
    if !p.eat(T![async]) {
        p.missing("expected `async` or `finish`");
        if p.at(T![ateach]) {
            p.hint("the clocks of an `ateach` follow its header: `ateach (p in d) clocked (c) { ... }`");
        }
    }
    body(p, ASYNC_STMT)
}

/// `at (p) S`. If it ends in an expression and `;` follows, or the end of a block that may have a value, it
/// was an expression; in the latter case the answer is yes.
fn at(p: &mut Parser<'_>, m: Marker, tail: Tail) -> bool {
    p.bump();
    in_parens(p);
    let open = lookahead::after_annotations(p, p.position);
    if p.kind_at(open) != T!['{'] {
        let has_value = body_or_tail(p, tail);
        m.complete(p, if has_value { AT_EXPR } else { AT_STMT });
        return has_value;
    }
    let is_last = tail == Tail::Value && p.matching(open).is_some_and(|it| p.kind_at(it + 1) == T!['}']);
    if is_last {
        let has_value = stmts::tail_block(p);
        m.complete(p, if has_value { AT_EXPR } else { AT_STMT });
        return has_value;
    }
    if !stmts::at_block(p) {
        m.complete(p, AT_STMT);
        return false;
    }
    let m = m.complete(p, AT_EXPR).precede(p);
    semicolon(p);
    m.complete(p, EXPR_STMT);
    false
}

fn try_(p: &mut Parser<'_>) -> SyntaxKind {
    block(p, Tail::No);
    let end = p.position;
    catches(p, Tail::No, true);
    // A block that is not complete has an error of its own.
    if p.position == end && p.kind_at(end - 1) == T!['}'] {
        p.missing("expected `catch` or `finally`");
        p.hint("write `catch (e:Exception) { ... }` for what is thrown, `finally { ... }` for what is done in any case");
    }
    TRY_STMT
}

/// The clauses after the block of a `try`; `needed`: at least one must be there.
fn catches(p: &mut Parser<'_>, tail: Tail, needed: bool) {
    if needed && p.nth(2) == IDENT && p.nth(3) == T![:] {
        typos::keyword(p, T![catch], T!['(']);
    }
    let start = p.position;
    while p.at(T![catch]) || typos::catch_elsewhere(p) {
        let m = p.start();
        p.bump();
        let open = p.position;
        let close = p.matching(open);
        if let Some(close) = close.filter(|close| (open..*close).any(|it| p.kind_at(it) == T![|])) {
            p.error_at(replacement::range_of(p, open, close), "a `catch` takes exceptions of one type");
            p.hint("write a `catch` for each type, or name a type above them");
            p.skip_balanced();
        } else if p.expect(T!['(']) && !foreign_syntax::untyped_exception(p) {
            formals::bracketed_formals(p, open);
        }
        block(p, tail);
        m.complete(p, CATCH_CLAUSE);
    }
    if needed && p.position == start {
        typos::keyword(p, T![finally], T!['{']);
    }
    if p.at(T![finally]) {
        let m = p.start();
        p.bump();
        block(p, tail);
        m.complete(p, FINALLY_CLAUSE);
    }
}

/// Whether a keyword follows the dot that is here. A statement of a later line, `if (...) return;`, belongs
/// to no dot that waits for its name.
pub(super) fn is_keyword_call(p: &Parser<'_>) -> bool {
    let keyword = p.position + 1;
    let is_far = p.input.newline_before(keyword);
    let after = match p.matching(keyword + 1) {
        Some(close) if p.kind_at(keyword + 1) == T!['('] => close + 1,
        _ => keyword + 1,
    };
    is_keyword_operator(p.kind_at(keyword)) && (!is_far || matches!(p.kind_at(after), T!['{'] | T!['(']))
}

/// `p.async { ... }` and its like, at the dot after the receiver.
pub(super) fn keyword_call(p: &mut Parser<'_>, m: Marker) {
    p.bump();
    let keyword = p.current();
    p.bump();
    if p.at(T!['[']) {
        lists::type_arg_list(p);
    }
    match keyword {
        T![break] | T![continue] | T![throw] => {
            if exprs::at_first(p) {
                exprs::expr(p);
            }
            semicolon(p);
        }
        T![do] => {
            block(p, Tail::Value);
            if p.expect(T![while]) {
                lists::arg_list(p);
                semicolon(p);
            }
        }
        _ => {
            if p.at(T!['(']) {
                keyword_arguments(p);
            }
            clocked_clause(p);
            block(p, Tail::Value);
            match keyword {
                T![if] if p.at(T![else]) => {
                    let m = p.start();
                    p.bump();
                    block(p, Tail::Value);
                    m.complete(p, ELSE_CLAUSE);
                }
                T![try] => catches(p, Tail::Value, false),
                _ => {}
            }
        }
    }
    m.complete(p, KEYWORD_CALL_STMT);
}

/// `(args)` or `(formals in args)`
fn keyword_arguments(p: &mut Parser<'_>) {
    if lookahead::header(p, p.position) != Header::In {
        lists::arg_list(p);
        return;
    }
    let m = p.start();
    let open = p.position;
    p.bump();
    loop {
        formals::formal(p);
        if !p.eat(T![,]) {
            break;
        }
    }
    if p.expect(T![in]) {
        expressions(p);
    }
    lists::close_bracket(p, open, T![')']);
    m.complete(p, LOOP_HEADER);
}
