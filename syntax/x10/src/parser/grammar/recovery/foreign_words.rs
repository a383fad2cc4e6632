//! Recovery from keywords, operators and declarations of other languages. Each mistake is reported as one
//! error with a hint, and then parsed as its X10 equivalent, or skipped.

use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::lists;
use crate::parser::grammar::names::name;
use crate::parser::grammar::operand::Operand;
use crate::parser::grammar::recovery::replacement::{adjacent, range_of, replaced, skip_as_error};
use crate::parser::grammar::recovery::{foreign_lookahead, foreign_syntax};
use crate::parser::state::Parser;
use crate::syntax_error::MistakeKind;
use crate::syntax_kind::SyntaxKind::{self, *};

//--- Statements

/// Whether a value or a statement follows the word at `index`, so that the word is no name of a variable or
/// method.
fn is_before_value(p: &Parser<'_>, index: usize) -> bool {
    let next = p.kind_at(index + 1);
    let starts = next == IDENT
        || next.is_literal()
        || matches!(next, T![this] | T![here] | T![new] | T![for] | T![at]);
    starts && !p.input.newline_before(index + 1)
}

/// The error message, the hint and the X10 keyword for a word that starts a statement in another language.
fn statement_word(word: &str) -> Option<(&'static str, &'static str, Option<SyntaxKind>)> {
    Some(match word {
        "spawn" | "go" | "begin" | "task" => (
            "an activity is started by `async`",
            "write `async ...`, and `finish { ... }` around it to wait for it",
            Some(T![async]),
        ),
        "raise" => {
            ("an exception is thrown by `throw`", "write `throw new Exception(\"...\");`", Some(T![throw]))
        }
        "yield" => (
            "there is no `yield`",
            "`val r = finish (reducer) { ... offer x; ... };` collects what activities offer",
            Some(T![offer]),
        ),
        "defer" => ("there is no `defer`", "write `try { ... } finally { ... }`", None),
        "parallel" => (
            "there is no parallel loop",
            "write `finish for (i in r) async { ... }`: an activity for each round",
            None,
        ),
        "delete" | "free" => ("there is nothing to free", "memory that nothing refers to is collected", None),
        "on" => ("there is no `on`", "`at (p) { ... }` goes to the place `p`", None),
        "print" | "println" | "echo" | "puts" => {
            ("a call has parentheses", "X10 prints by `Console.OUT.println(...)`", None)
        }
        _ => return None,
    })
}

/// At a statement that starts with a name: recovers if this is a word that starts a statement in another
/// language. Returns whether the statement was parsed.
pub(crate) fn statement(p: &mut Parser<'_>) -> bool {
    let index = p.position;
    if is_pass(p) {
        replaced(p, 1, "a statement that does nothing is `;`", "a block may also be empty: `{ }`", ";");
        return true;
    }
    if let Some(body) = match_body(p) {
        let range = p.input.range(p.lexed, index);
        p.error_at(range, "there is no `match`");
        p.hint("write `switch (x) { case 1: ...; break; default: ... }`, or `if` and `else if`");
        skip_as_error(p, body - index);
        p.skip_balanced();
        return true;
    }
    if let Some(keyword) = negated(p) {
        let range = p.input.range(p.lexed, index);
        let text = keyword.text().unwrap_or_default();
        p.error_at(range, format!("there is no `{}`", p.text(index)));
        p.hint(&format!("write `{text} (!(...))`"));
        p.input.kinds[index] = keyword;
        return false;
    }
    let is_variable = foreign_lookahead::is_variable(p, index) || foreign_syntax::is_walrus(p, index + 1);
    let Some((message, hint, keyword)) = statement_word(p.text(index)).filter(|_| !is_variable) else {
        return false;
    };
    if p.text(index) == "on" && p.parse_on_place() {
        return true;
    }
    if !is_before_value(p, index) || (p.text(index) == "parallel") != (p.nth(1) == T![for]) {
        return false;
    }
    let range = p.input.range(p.lexed, index);
    p.error_at(range, message);
    p.hint(hint);
    match (keyword, p.text(index)) {
        (Some(keyword), _) => {
            p.replace_by(keyword.text().unwrap_or_default().to_owned());
            p.input.kinds[index] = keyword;
            false
        }
        (None, "defer" | "parallel") => {
            skip_as_error(p, 1);
            false
        }
        _ => {
            line_aside(p);
            true
        }
    }
}

/// Whether `pass` is here as a statement of its own.
fn is_pass(p: &Parser<'_>) -> bool {
    let index = p.position;
    p.text(index) == "pass" && (p.nth(1) == T!['}'] || p.input.newline_before(index + 1) && p.nth(1) != T![;])
}

/// The index of the opening brace, if `match (x) { pattern => ... }` or `match x { ... }` is here, and not a
/// call of a method of this name.
pub(crate) fn match_body(p: &Parser<'_>) -> Option<usize> {
    if !matches!(p.text(p.position), "match" | "when" | "select") {
        return None;
    }
    let open = match p.nth(1) {
        T!['('] => p.matching(p.position + 1)? + 1,
        next if next == IDENT || next.is_literal() || matches!(next, T![this] | T![here] | T![self]) => {
            let mut index = p.position + 1;
            while !p.input.newline_before(index)
                && index < p.position + MAX_SUBJECT_TOKENS
                && !matches!(p.kind_at(index), T!['{'] | T!['}'] | T![;] | EOF)
            {
                index = p.matching(index).filter(|it| *it > index).unwrap_or(index) + 1;
            }
            // No statement of X10 has this form.
            return (p.kind_at(index) == T!['{']).then_some(index);
        }
        _ => return None,
    };
    let is_case = matches!(p.kind_at(open + 2), T![=>] | T![->])
        || p.kind_at(open + 1) == T![case]
        || at_pattern(p, open + 1);
    (p.kind_at(open) == T!['{'] && is_case).then_some(open)
}

/// Maximum number of tokens in the subject of a `match` without parentheses, and in a pattern before its
/// arrow.
const MAX_SUBJECT_TOKENS: usize = 64;

/// Whether a pattern and its arrow are at `index`. A closure after a call does not start like that.
fn at_pattern(p: &Parser<'_>, index: usize) -> bool {
    let mut at = index;
    while at < index + MAX_SUBJECT_TOKENS {
        at = match p.kind_at(at) {
            T![=>] => return at > index,
            T!['('] if at > index => p.matching(at).map_or(at, |it| it + 1),
            IDENT | T![|] | T![-] | T![.] | T![..] | T![null] | T![true] | T![false] => at + 1,
            kind if kind.is_literal() => at + 1,
            _ => return false,
        };
        if p.kind_at(at) == T!['('] && p.matching(at).is_none() {
            return false;
        }
    }
    false
}

/// The X10 keyword for `unless (c)` or `until (c)` before a statement; its condition is negated.
fn negated(p: &Parser<'_>) -> Option<SyntaxKind> {
    let keyword = match p.text(p.position) {
        "unless" => T![if],
        "until" => T![while],
        _ => return None,
    };
    let close = p.matching(p.position + 1).filter(|_| p.nth(1) == T!['('])?;
    let next = p.kind_at(close + 1);
    let follows = next == IDENT || next.is_keyword() && !matches!(next, T![as] | T![instanceof]);
    (follows && !p.input.newline_before(close + 1)).then_some(keyword)
}

/// Skips the rest of a statement as an error node.
fn line_aside(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    while !p.at_end() && !p.at_line_start() && !matches!(p.current(), T![;] | T!['}'] | T!['{']) {
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

/// `def f(x:T):R { ... }` in code, at `def`: parsed as the closure that was meant.
pub(crate) fn local_function(p: &mut Parser<'_>) {
    let m = p.start();
    p.error("a method cannot stand in the code of another");
    p.hint("write a closure, `val f = (x:Type) => { ... };`, or put the method beside this one");
    skip_as_error(p, 1);
    let declarator = p.start();
    name(p);
    let closure = p.start();
    lists::type_param_list(p);
    p.parse_formal_list();
    p.parse_result_type(BraceMeaning::Other);
    p.eat(T![=]);
    p.parse_closure_body();
    closure.complete(p, CLOSURE_EXPR);
    declarator.complete(p, DECLARATOR);
    p.eat(T![;]);
    m.complete(p, LOCAL_DECL);
}

/// Whether a local function starts here with `def`: no brace is missing, and its line is indented more than
/// that of the brace at `open`.
pub(crate) fn at_local_function(p: &Parser<'_>, open: usize) -> bool {
    let is_function = p.at(T![def]) && p.nth(1) == IDENT && p.nth(2) == T!['('];
    is_function
        && !p.input.unbalanced
        && p.matching(open).is_some()
        && (p.indent(p.position) > p.indent(open) || !is_below(p, open))
}

/// Whether the token here is on a later line than the one at `index`.
fn is_below(p: &Parser<'_>, index: usize) -> bool {
    (index + 1..=p.position).any(|it| p.input.newline_before(it))
}

//--- The labels of `switch`

/// At the label of a `case`: recovers from an arrow after it, which is parsed as a colon.
pub(crate) fn label_arrow(p: &mut Parser<'_>) {
    let mut index = p.position;
    while !matches!(p.kind_at(index), T![->] | T![=>]) {
        let next = match p.kind_at(index) {
            T!['('] | T!['['] => p.matching(index).map(|it| it + 1),
            T![:] | T![;] | T!['{'] | T!['}'] | EOF => None,
            _ => Some(index + 1),
        };
        match next.filter(|it| !p.input.newline_before(*it)) {
            Some(next) => index = next,
            None => return,
        }
    }
    p.input.kinds[index] = T![:];
    let range = p.input.range(p.lexed, index);
    p.error_at(range, "a case ends in a colon");
    p.hint("write `case 1: ...; break;`: without `break`, what the next case does is done as well");
    p.mark_mistake(MistakeKind::CaseArrow);
    p.replace_by(":".to_owned());
}

//--- Expressions

/// Recovers from an expression that starts with a word, or a string prefix, of another language.
pub(crate) fn value(p: &mut Parser<'_>) -> Option<Operand> {
    let index = p.position;
    match p.nth(1) {
        IDENT | T![new] | T![this] | T!['('] if p.text(index) == "await" && !is_called(p, index) => {
            let m = p.start();
            replaced(
                p,
                1,
                "there is no `await`",
                "`finish { ... }` waits for the activities started in it; they assign their results to variables",
                "",
            );
            let operand = p.parse_chain();
            operand.map(|_| Operand::expr(m.complete(p, ERROR)))
        }
        T!['{'] if is_future(p) => {
            let m = p.start();
            no_value(p);
            p.bump();
            p.skip_balanced();
            Some(Operand::expr(m.complete(p, ERROR)))
        }
        // No expression of X10 has two adjacent names.
        IDENT if SPAWNS.contains(&p.text(index)) && !p.input.newline_before(index + 1) => {
            let m = p.start();
            no_value(p);
            skip_as_error(p, 1);
            p.parse_chain();
            Some(Operand::expr(m.complete(p, ERROR)))
        }
        T!['('] if p.text(index) == "on" && is_on(p) => {
            let m = p.start();
            let range = p.input.range(p.lexed, index);
            p.error_at(range, "there is no `on`");
            p.hint("`at (p) e` is the value of `e` at the place `p`");
            p.replace_by("at".to_owned());
            Some(Operand::expr(p.parse_at_expr(m)))
        }
        STRING if adjacent(p, index) => {
            let m = p.start();
            // `f(name")` lacks a quote, which is reported already.
            if p.is_malformed(index + 1) {
                p.suppress_next_error();
            } else {
                let range = range_of(p, index, index + 1);
                p.error_at(range, "a string has no letter before it");
                p.hint("text is joined by `+`: `\"x = \" + x`; `\\n` in it starts a line");
            }
            skip_as_error(p, 2);
            Some(Operand::expr(m.complete(p, ERROR)))
        }
        _ => None,
    }
}

/// Words that start activities in other languages, before a call.
const SPAWNS: &[&str] = &["spawn", "go", "begin", "task", "fork", "sync", "co_await"];

fn no_value(p: &mut Parser<'_>) {
    let range = p.input.range(p.lexed, p.position);
    p.error_at(range, "an activity has no value");
    p.hint("let it assign to a variable: `var r:T = ...; finish async { r = ...; }`");
}

/// Whether a value follows `on (p)`, so that this is no call.
fn is_on(p: &Parser<'_>) -> bool {
    p.matching(p.position + 1).is_some_and(|close| {
        let next = p.kind_at(close + 1);
        let starts = next == IDENT || next.is_literal() || matches!(next, T![this] | T![here] | T![new]);
        starts && !p.input.newline_before(close + 1)
    })
}

fn is_called(p: &Parser<'_>, index: usize) -> bool {
    p.kind_at(index + 1) == T!['('] || p.input.newline_before(index + 1)
}

/// Whether `future { ... }` is in place of a value.
fn is_future(p: &Parser<'_>) -> bool {
    let before = p.kind_at(p.position.wrapping_sub(1));
    matches!(p.text(p.position), "future" | "spawn" | "task" | "go" | "launch")
        && matches!(before, T![=] | T!['('] | T![,] | T![return] | T![=>])
}

/// Recovers from a string between triple quotes.
pub(crate) fn text_block(p: &mut Parser<'_>) -> Option<Operand> {
    let index = p.position;
    let is_block = p.at(STRING) && p.text(index) == "\"\"" && p.nth(1) == STRING && adjacent(p, index);
    if !is_block {
        return None;
    }
    let count = if p.nth(2) == STRING && adjacent(p, index + 1) { 3 } else { 2 };
    let m = p.start();
    let range = range_of(p, index, index + count - 1);
    p.error_at(range, "a string stands between single quotation marks, on one line");
    p.hint("write `\"...\\n\" + \"...\\n\"`");
    skip_as_error(p, count);
    Some(Operand::expr(m.complete(p, ERROR)))
}

/// Recovers from the operators `x ?: y` and `x ?? y`, after their first character; false if neither is here.
pub(crate) fn null_test(p: &mut Parser<'_>) -> bool {
    if !matches!(p.current(), T![:] | T![?]) || !adjacent(p, p.position - 1) {
        return false;
    }
    let range = range_of(p, p.position - 1, p.position);
    let sign = p.current().text().unwrap_or_default();
    p.error_at(range, format!("there is no operator `?{sign}`"));
    p.hint("write `x == null ? other : x`");
    p.bump();
    true
}

/// Recovers from the rest of an operator of another language, after its prefix `op` that is an operator of
/// X10: `a <=> b`, `f<<<a, b>>>(c)`. Returns whether no operand follows.
pub(crate) fn operator_rest(p: &mut Parser<'_>, op: SyntaxKind) -> bool {
    if !adjacent(p, p.position - 1) {
        return false;
    }
    match (op, p.current()) {
        (T![<=], T![>]) => {
            let range = range_of(p, p.position - 1, p.position);
            p.error_at(range, "there is no operator `<=>`");
            p.hint("`a.compareTo(b)` is negative, 0 or positive");
            skip_as_error(p, 1);
            false
        }
        (T![<<], T![<]) => {
            let range = range_of(p, p.position - 1, p.position);
            p.error_at(range, "a kernel is not launched by `<<<...>>>`");
            p.hint("write `finish async at (gpu) @CUDA { ... }`: the bounds of its two loops are the sizes of the grid and of a block");
            line_rest_aside(p);
            true
        }
        _ => false,
    }
}

fn line_rest_aside(p: &mut Parser<'_>) {
    let m = p.start();
    while !p.at_end() && !p.at_line_start() && !matches!(p.current(), T![;] | T!['}'] | T!['{']) {
        p.bump();
    }
    m.complete(p, ERROR);
}

//--- Declarations

/// Recovers from a bound after the name of a type parameter, such as `T extends U`.
pub(crate) fn bound(p: &mut Parser<'_>) {
    if !matches!(p.current(), T![extends] | T![implements] | T![super] | T![:] | T![<:] | T![:>]) {
        return;
    }
    let parameter = p.text(p.position - 1).to_owned();
    let m = p.start();
    let start = p.position;
    p.bump();
    let ty = p.position;
    p.parse_type();
    let (range, bound) = (p.range_since(start), p.text_of(ty, p.position).to_owned());
    p.error_at(range, "the bound of a type parameter is a condition");
    p.hint(&format!(
        "write `{{{parameter} <: {bound}}}` after the formals of the method, or the properties of the class"
    ));
    m.complete(p, ERROR);
}

/// Recovers from `where T : U`, up to the body.
pub(crate) fn where_clause(p: &mut Parser<'_>) {
    if !(p.at(IDENT) && p.text(p.position) == "where" && p.nth(1) == IDENT) {
        return;
    }
    p.error("a condition is written in braces");
    p.hint("write `{T <: U}` after the formals of the method, or the properties of the class");
    let m = p.start();
    while !p.at_end() && !matches!(p.current(), T!['{'] | T![;] | T![=] | T!['}']) {
        p.bump();
    }
    m.complete(p, ERROR);
}

/// Recovers from `class A : B`, at the colon, which is parsed as `extends`.
pub(crate) fn heritage(p: &mut Parser<'_>) {
    if p.at(T![:]) && p.nth(1) == IDENT {
        let range = p.input.range(p.lexed, p.position);
        p.error_at(range, "the superclass stands after `extends`, interfaces after `implements`");
        p.replace_by("extends".to_owned());
        p.input.kinds[p.position] = T![extends];
    }
}

/// Recovers from `import static a.b.c`, at `static`, by skipping it; false if it is not here.
pub(crate) fn import_static(p: &mut Parser<'_>) -> bool {
    if !p.at(T![static]) {
        return false;
    }
    p.error("there is no `import static`");
    p.hint("import the class, `import x10.util.Team;`, and select its members: `Team.WORLD`");
    line_rest_aside(p);
    true
}

/// Recovers from `from a.b import C` by skipping it; false if it is not here.
pub(crate) fn from_import(p: &mut Parser<'_>) -> bool {
    let index = p.position;
    if !p.at(IDENT) || p.text(index) != "from" || p.nth(1) != IDENT {
        return false;
    }
    let mut import = index + 2;
    while p.kind_at(import) == T![.] && p.kind_at(import + 1) == IDENT {
        import += 2;
    }
    if p.kind_at(import) != T![import] {
        return false;
    }
    let package = p.text_of(index + 1, import).trim().to_owned();
    let (names, end) = imported_names(p, import + 1);
    let imports: Vec<_> = names.iter().map(|name| format!("import {package}.{name};")).collect();
    let range = range_of(p, index, end - 1);
    p.error_at(range, "an import has no `from`");
    p.hint(&match imports.as_slice() {
        [] => format!("write `import {package}.Name;` for each type"),
        imports => format!("write `{}`", imports.join(" ")),
    });
    // An alias may follow the last name; X10 has no imports with aliases.
    if !imports.is_empty() && (p.kind_at(end - 1) == T![;] || p.input.newline_before(end)) {
        p.replace_by(imports.join("\n"));
    }
    skip_as_error(p, end - index);
    if !p.at_line_start() {
        line_rest_aside(p);
        p.eat(T![;]);
    }
    true
}

/// The imported names at `index`, which are `*` or names separated by commas, perhaps in parentheses; and the
/// index after them and their `;`.
fn imported_names<'a>(p: &Parser<'a>, index: usize) -> (Vec<&'a str>, usize) {
    let close = p.matching(index).filter(|_| p.kind_at(index) == T!['(']);
    let mut at = index + usize::from(close.is_some());
    let mut names = Vec::new();
    while p.kind_at(at) == IDENT || p.kind_at(at) == T![*] && names.is_empty() {
        names.push(p.text(at));
        at += 1;
        if p.kind_at(at) != T![,] || close.is_none() && p.input.newline_before(at + 1) {
            break;
        }
        at += 1;
    }
    match close {
        Some(close) if at == close => at += 1,
        Some(close) => (names, at) = (Vec::new(), close + 1),
        None => {}
    }
    if p.kind_at(at) == T![;] && !p.input.newline_before(at) {
        at += 1;
    }
    (names, at.max(index))
}

/// Recovers from `template <typename T>` before a declaration; false if it is not here.
pub(crate) fn template(p: &mut Parser<'_>) -> bool {
    let is_template = p.at(IDENT) && p.text(p.position) == "template" && p.nth(1) == T![<];
    if is_template {
        p.error("there is no `template`");
        p.hint("type parameters stand in brackets after the name: `class C[T]`, `def f[T](x:T)`");
        let m = p.start();
        while !p.at_end() && !p.eat(T![>]) && !p.at(T!['{']) {
            p.bump();
        }
        m.complete(p, ERROR);
    }
    is_template
}
