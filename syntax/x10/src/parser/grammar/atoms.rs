//! Expressions without operators: literals, names, calls, closures, `new`.

use crate::ast::{BinaryOp, is_keyword_operator};
use crate::parser::grammar::context::{BraceMeaning, Tail};
use crate::parser::grammar::exprs::expr;
use crate::parser::grammar::names::name_ref;
use crate::parser::grammar::operand::Operand;
use crate::parser::grammar::recovery::{
    angle_brackets, foreign_declarations, foreign_lookahead, foreign_syntax, foreign_values, foreign_words,
    reserved_words, typos,
};
use crate::parser::grammar::token_sets::STOP;
use crate::parser::grammar::{controls, exprs, formals, items, lists, lookahead, stmts, types};
use crate::parser::limits::CHAIN_LIMIT;
use crate::parser::state::{Completed, Marker, Parser};
use crate::syntax_kind::SyntaxKind::{self, *};

/// An atom with the selections and calls after it.
pub(super) fn chain(p: &mut Parser<'_>) -> Option<Operand> {
    let at_statement = std::mem::take(&mut p.at_statement);
    let may_trail = at_statement && !p.body_follows;
    let mut lhs = atom(p)?;
    for _ in 0..CHAIN_LIMIT {
        let next = match p.current() {
            T![.] => select(p, lhs, at_statement),
            T!['('] => call(p, lhs, may_trail),
            T!['['] => type_args(p, lhs, may_trail),
            T!['{'] => constrained(p, lhs, at_statement),
            T![<] if lhs.path.is_some() && angle_brackets::at_call(p) => Some(generic_call(p, lhs)),
            T![:] if lhs.path.is_some() && foreign_syntax::at_scope(p, p.position) => {
                Some(foreign_syntax::scope(p, lhs))
            }
            T![?] if !lhs.is_type && foreign_values::at_safe_call(p) => {
                Some(foreign_values::safe_call(p, lhs))
            }
            _ => None,
        };
        match next {
            Some(next) => lhs = next,
            None => return Some(lhs),
        }
    }
    p.error(format!("this expression has more than {CHAIN_LIMIT} calls and selections in a row"));
    p.gave_up = true;
    Some(lhs)
}

/// `.x`, `.this`, `.super`, `.new C()`, `.operator+`
fn select(p: &mut Parser<'_>, lhs: Operand, at_statement: bool) -> Option<Operand> {
    if lhs.is_type {
        return None;
    }
    let next = p.nth(1);
    if reserved_words::is_value(p, p.position + 1) {
        let m = lhs.node.precede(p);
        p.bump();
        reserved_words::name(p);
        return Some(Operand::expr(m.complete(p, FIELD_EXPR)));
    }
    if at_statement && controls::is_keyword_call(p) {
        return None;
    }
    if at_statement && matches!(next, T![this] | T![super]) && matches!(p.nth(2), T!['('] | T!['[']) {
        return None;
    }
    let m = lhs.node.precede(p);
    p.bump();
    let kind = match next {
        T![this] => {
            p.bump();
            THIS_EXPR
        }
        T![super] => {
            p.bump();
            SUPER_EXPR
        }
        T![new] => {
            new_rest(p);
            NEW_EXPR
        }
        T![operator] => {
            operator_name(p);
            OPERATOR_EXPR
        }
        _ => {
            let path = lhs.path.filter(|_| next == IDENT);
            name_ref(p);
            return Some(Operand { node: m.complete(p, FIELD_EXPR), is_type: false, path });
        }
    };
    Some(Operand::expr(m.complete(p, kind)))
}

/// Whether the bracket at `index` is closed, and this follows.
fn followed_by(p: &Parser<'_>, index: usize, kinds: &[SyntaxKind]) -> bool {
    p.matching(index).is_some_and(|it| kinds.contains(&p.kind_at(it + 1)))
}

/// What has a type before it.
const TYPE_TESTS: &[SyntaxKind] = &[T![<:], T![:>], T![haszero], T![isref]];

/// `(a, b)`: a call, or the arguments of a type that stands as an operand.
fn call(p: &mut Parser<'_>, lhs: Operand, may_trail: bool) -> Option<Operand> {
    if lhs.is_type {
        return None;
    }
    let open = p.position;
    if may_trail && followed_by(p, open, &[T!['{']]) {
        return None;
    }
    let is_type = lhs.may_be_type()
        && p.nth(1) != T![')']
        && (followed_by(p, open, TYPE_TESTS)
            || p.matching(open).is_some_and(|it| p.kind_at(it + 1) == T!['{'] && is_constraint(p, it + 1)));
    if is_type {
        return as_type(p, lhs);
    }
    let m = lhs.node.precede(p);
    lists::arg_list(p);
    Some(Operand::expr(m.complete(p, CALL_EXPR)))
}

/// `[T]`: the type arguments of a call, or of a type that stands as an operand.
fn type_args(p: &mut Parser<'_>, lhs: Operand, may_trail: bool) -> Option<Operand> {
    if lhs.is_type {
        return None;
    }
    let open = p.position;
    let after = p.matching(open).map(|it| it + 1);
    let is_call = after.is_some_and(|it| p.kind_at(it) == T!['(']);
    if may_trail {
        let trailing = match after {
            Some(it) if is_call => followed_by(p, it, &[T!['{']]),
            Some(it) => p.kind_at(it) == T!['{'],
            None => false,
        };
        if trailing {
            return None;
        }
    }
    let is_tested = after.is_some_and(|it| {
        TYPE_TESTS.contains(&p.kind_at(it)) || p.kind_at(it) == T!['{'] && is_constraint(p, it)
    });
    if !is_call && !is_tested && foreign_declarations::is_index(p, open) {
        let m = lhs.node.precede(p);
        foreign_declarations::index(p);
        return Some(Operand::expr(m.complete(p, CALL_EXPR)));
    }
    let before_test = after.is_some_and(|it| followed_by(p, it, TYPE_TESTS));
    if is_call && !(before_test && lhs.may_be_type()) {
        let m = lhs.node.precede(p);
        lists::type_arg_list(p);
        lists::arg_list(p);
        return Some(Operand::expr(m.complete(p, CALL_EXPR)));
    }
    if lhs.may_be_type() {
        return as_type(p, lhs);
    }
    p.error("square brackets do not index");
    p.hint("elements are read by `a(i)` and set by `a(i) = value`");
    let m = lhs.node.precede(p);
    lists::type_arg_list(p);
    Some(Operand::expr(m.complete(p, ERROR)))
}

/// `f<T>(x)`
fn generic_call(p: &mut Parser<'_>, lhs: Operand) -> Operand {
    let m = lhs.node.precede(p);
    angle_brackets::type_arg_list(p);
    lists::arg_list(p);
    Operand::expr(m.complete(p, CALL_EXPR))
}

/// `{c}` after what may be a type.
fn constrained(p: &mut Parser<'_>, lhs: Operand, at_statement: bool) -> Option<Operand> {
    if at_statement || lhs.is_type || !lhs.may_be_type() || !is_constraint(p, p.position) {
        return None;
    }
    as_type(p, lhs)
}

fn is_constraint(p: &Parser<'_>, open: usize) -> bool {
    !p.body_follows && p.matching(open).is_some_and(|close| !lookahead::has_statements(p, open, close))
}

fn as_type(p: &mut Parser<'_>, lhs: Operand) -> Option<Operand> {
    let ty = lhs.into_type(p)?;
    let node = types::suffixes(p, ty, BraceMeaning::Constraint);
    Some(Operand { node, is_type: true, path: None })
}

/// One token or bracketed thing that is an expression.
pub(super) fn atom(p: &mut Parser<'_>) -> Option<Operand> {
    let is_statement = p.at_line_start() && p.at(T![finish]) && p.nth(1) != T!['('];
    if p.unclosed.is_some_and(|open| is_statement || p.is_unfinished(open)) {
        p.missing("expected an expression");
        return None;
    }
    if p.at(IDENT) && foreign_values::at_statement(p) {
        return Some(Operand::expr(foreign_values::statement(p)));
    }
    if p.at(IDENT)
        && let Some(value) = foreign_words::value(p)
    {
        return Some(value);
    }
    if let Some(text) = foreign_words::text_block(p) {
        return Some(text);
    }
    if p.at(IDENT) && (matches!(p.nth(1), IDENT | T!['(']) || p.nth(1).is_literal()) {
        if foreign_values::at_worded_closure(p) {
            return Some(Operand::expr(foreign_values::worded_closure(p)));
        }
        if foreign_values::at_not(p) {
            return Some(foreign_values::not(p));
        }
        typos::new(p);
    }
    let simple = match p.current() {
        IDENT => {
            let m = p.start();
            let path = Some(m.start);
            name_ref(p);
            return Some(Operand { node: m.complete(p, NAME_EXPR), is_type: false, path });
        }
        kind if kind.is_literal() => LITERAL,
        T![this] => THIS_EXPR,
        T![super] => SUPER_EXPR,
        T![self] => SELF_EXPR,
        T![here] => HERE_EXPR,
        _ => return bigger_atom(p),
    };
    let m = p.start();
    p.bump();
    Some(Operand::expr(m.complete(p, simple)))
}

fn bigger_atom(p: &mut Parser<'_>) -> Option<Operand> {
    let node = match p.current() {
        T!['('] if lookahead::is_closure(p, p.position) || foreign_syntax::at_arrow_closure(p) => closure(p),
        T!['('] if foreign_declarations::is_cast(p) => foreign_declarations::cast(p),
        T!['('] => parenthesised(p),
        T!['['] => match generic_closure(p) {
            true => closure(p),
            false => rail(p),
        },
        T![new] => {
            let m = p.start();
            new_rest(p);
            m.complete(p, NEW_EXPR)
        }
        T![operator] => {
            let m = p.start();
            operator_name(p);
            m.complete(p, OPERATOR_EXPR)
        }
        T![void] => {
            let node = types::type_(p)?;
            return Some(Operand { node, is_type: true, path: None });
        }
        // An expression of which no more is known: it counts as an argument.
        _ if reserved_words::is_value(p, p.position) => {
            let m = p.start();
            reserved_words::name(p);
            m.complete(p, NAME_EXPR)
        }
        T![at] => {
            let m = p.start();
            at_expr(p, m)
        }
        T![finish] => finish_expr(p),
        _ if foreign_values::at_statement(p) => foreign_values::statement(p),
        T![if] if p.nth(1) == T!['('] && !p.at_line_start() => foreign_values::if_value(p),
        T!['{'] if foreign_values::at_braced_rail(p) => foreign_values::braced_rail(p),
        T!['{'] if foreign_values::at_braced_value(p) => foreign_values::braced_value(p),
        _ => {
            no_expression(p);
            return None;
        }
    };
    Some(Operand::expr(node))
}

fn no_expression(p: &mut Parser<'_>) {
    let kind = p.current();
    if p.at_end()
        || p.at_line_start()
        || STOP.contains(kind)
        || matches!(kind, T![:] | T![=>] | T![in] | T![=])
    {
        p.missing("expected an expression");
        if matches!(kind, T![async] | T![atomic] | T![for] | T![if] | T![while] | T![try] | T![switch]) {
            p.hint("statements have no value: assign to a variable inside, or call a method");
        }
    } else if kind.is_keyword() {
        p.error_recover(
            format!("expected an expression, found `{}`", kind.text().unwrap_or_default()),
            &STOP,
        );
    } else {
        p.error_recover("expected an expression", &STOP);
    }
}

fn parenthesised(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    let open = p.position;
    p.bump();
    if p.is_unfinished(open) {
        p.missing("expected an expression");
    } else {
        p.inside(open, expr);
    }
    if p.at(T![,]) {
        foreign_values::tuple(p, open);
        lists::close_bracket(p, open, T![')']);
        return m.complete(p, ERROR);
    }
    lists::close_bracket(p, open, T![')']);
    m.complete(p, PAREN_EXPR)
}

fn rail(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    let open = p.position;
    p.bump();
    lists::bracketed(p, open, T![']'], "an expression", exprs::at_first, |p| {
        expr(p);
    });
    m.complete(p, RAIL_EXPR)
}

/// `[T](x:T)=>x`: a closure with type parameters, which X10 no longer has.
fn generic_closure(p: &Parser<'_>) -> bool {
    let names = lookahead::after_names(p, p.position);
    names.is_some_and(|it| p.kind_at(it) == T!['('] && lookahead::is_closure(p, it))
}

fn closure(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    lists::type_param_list(p);
    formals::formal_list(p);
    if p.at(T!['{']) {
        lists::condition(p, GUARD);
    }
    formals::result_type(p, BraceMeaning::Constraint);
    formals::offers(p, BraceMeaning::Constraint);
    if foreign_syntax::arrow(p) {
        closure_body(p);
    }
    m.complete(p, CLOSURE_EXPR)
}

/// An expression, or a block that may end in one.
pub(super) fn closure_body(p: &mut Parser<'_>) {
    if p.kind_at(lookahead::after_annotations(p, p.position)) == T!['{'] {
        stmts::block(p, Tail::Value);
    } else if !controls::is_cut_off(p) {
        expr(p);
    }
}

/// `at (p) e`, whose annotations, if it has some, are in `m`.
pub(super) fn at_expr(p: &mut Parser<'_>, m: Marker) -> Completed {
    p.bump();
    controls::in_parens(p);
    closure_body(p);
    m.complete(p, AT_EXPR)
}

/// `finish (r) { ... }`: collects what is offered to the reducer.
fn finish_expr(p: &mut Parser<'_>) -> Completed {
    let m = p.start();
    p.bump();
    if p.at(T!['{']) {
        p.missing("a `finish` that has a value needs a reducer");
        p.hint("write `finish (Reducible.SumReducer[Long]()) { ... offer x; }`");
    } else {
        controls::in_parens(p);
    }
    stmts::block(p, Tail::No);
    m.complete(p, FINISH_EXPR)
}

/// `new C[T](args) { members }`, at `new`.
fn new_rest(p: &mut Parser<'_>) {
    p.bump();
    if p.at(IDENT) {
        let class = p.position;
        let m = p.start();
        name_ref(p);
        let mut ty = m.complete(p, NAMED_TYPE);
        for _ in 0..CHAIN_LIMIT {
            if !(p.at(T![.]) && p.nth(1) == IDENT) {
                break;
            }
            let m = ty.precede(p);
            p.bump();
            name_ref(p);
            ty = m.complete(p, NAMED_TYPE);
        }
        if foreign_declarations::is_array_length(p) {
            ty.change_kind(p, ERROR);
            foreign_declarations::array_length(p, class);
            return;
        }
        if p.at(T!['[']) {
            let m = ty.reopen(p);
            lists::type_arg_list(p);
            m.complete(p, NAMED_TYPE);
        } else if p.at(T![<]) && foreign_lookahead::after_angle_brackets(p, p.position).is_some() {
            let m = ty.reopen(p);
            angle_brackets::type_arg_list(p);
            m.complete(p, NAMED_TYPE);
        }
    } else {
        p.missing("expected the name of a class");
    }
    if p.at(T![<>]) && p.nth(1) == T!['('] {
        p.unexpected("type arguments stand in square brackets, and are written");
        p.hint("write the types, `new HashMap[String,Long]()`");
        let m = p.start();
        p.bump();
        m.complete(p, ERROR);
    }
    if p.at(T!['(']) {
        lists::arg_list(p);
    } else {
        p.missing("expected `(` and the arguments of the constructor");
        p.replace_by("()".to_owned());
    }
    if p.at(T!['{']) && !p.body_follows {
        items::class_body(p);
    }
}

/// `operator+`, `operator()`, `operator()=`, `operator as [T]`, `operator [T]`, `operator async`, at
/// `operator`.
fn operator_name(p: &mut Parser<'_>) {
    p.bump();
    let m = p.start();
    match p.current() {
        T!['('] => {
            p.bump();
            p.expect(T![')']);
            let is_set = p.at(T![=]) && matches!(p.nth(1), T!['('] | T!['[']);
            if is_set || BinaryOp::from_kind(p.current()).is_some() {
                p.bump();
            }
        }
        T![as] => {
            p.bump();
            if p.at(T!['[']) {
                lists::type_arg_list(p);
            } else {
                p.missing("expected `[` and the type that is converted to");
            }
        }
        T!['['] => lists::type_arg_list(p),
        kind if is_keyword_operator(kind) || BinaryOp::from_kind(kind).is_some() => p.bump(),
        _ => p.missing("expected an operator"),
    }
    m.complete(p, OPERATOR_NAME);
}
