//! Type arguments in angle brackets, as C++, Java and Rust write them: parsed as what they mean.

use super::*;

/// Lists inside each other; nobody writes more, and each `<` is looked after on its own.
const DEEPEST: i32 = 32;

/// Where the type arguments end that open with `<` at `index`, if what stands there can be nothing else.
pub(in crate::parser::grammar) fn after(p: &Parser<'_>, mut index: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match p.kind_at(index) {
            T![<] if depth < DEEPEST => depth += 1,
            kind => match (closes(kind), kind) {
                (0, T![.] | T![,]) => {}
                (0, IDENT)
                    if p.kind_at(index + 1) == T![.] || foreign_declarations::names_type(p.text(index)) => {}
                (0, T!['[']) => index = p.matching(index)?,
                (0, _) => return None,
                (closed, _) => depth -= closed,
            },
        }
        index += 1;
        if depth <= 0 {
            return (depth == 0).then_some(index);
        }
    }
}

/// How many of the brackets a token closes.
fn closes(kind: SyntaxKind) -> i32 {
    match kind {
        T![>] => 1,
        T![>>] => 2,
        T![>>>] => 3,
        _ => 0,
    }
}

/// Whether type arguments stand here, after the name of a type.
pub(in crate::parser::grammar) fn at_list(p: &Parser<'_>) -> bool {
    let ends = |end: usize| {
        p.input.newline_before(end)
            || matches!(
                p.kind_at(end),
                T![=] | T![;] | T![')'] | T![,] | T!['{'] | T![']'] | T!['}'] | T![in] | T![=>] | T![:] | EOF
            )
            || matches!(p.kind_at(end), T![implements] | T![throws] | T![extends])
    };
    p.at(T![<]) && after(p, p.position).is_some_and(ends)
}

/// Whether `<T>(` stands here, after a name: `a < T > (b)` would compare a `Boolean`. With a comma it may be two arguments of a call.
pub(in crate::parser::grammar) fn at_call(p: &Parser<'_>) -> bool {
    let Some(end) = after(p, p.position).filter(|_| p.at(T![<])) else { return false };
    // Nobody writes blanks there, but around operators.
    let tight = foreign_syntax::adjacent(p, p.position - 1) && foreign_syntax::adjacent(p, end - 1);
    p.kind_at(end) == T!['('] && tight && (p.position..end).all(|it| p.kind_at(it) != T![,])
}

/// The list, at `<`.
pub(in crate::parser::grammar) fn type_arg_list(p: &mut Parser<'_>) {
    report(p);
    list(p);
}

fn report(p: &mut Parser<'_>) {
    let end = after(p, p.position).unwrap_or(p.position + 1);
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
    let closed = closes(p.current());
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

/// `<T, U>` of a declaration, if it stands here.
pub(in crate::parser::grammar) fn type_param_list(p: &mut Parser<'_>) {
    if !p.at(T![<]) || after(p, p.position).is_none() {
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
