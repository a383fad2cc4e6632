//! Types.

use crate::parser::grammar::context::BraceMeaning;
use crate::parser::grammar::names::name_ref;
use crate::parser::grammar::recovery::{angle_brackets, foreign_declarations, foreign_values, replacement};
use crate::parser::grammar::token_sets::{STMT_KEYWORDS, STOP};
use crate::parser::grammar::{atoms, formals, items, lists, lookahead};
use crate::parser::limits::CHAIN_LIMIT;
use crate::parser::state::{Completed, Parser};
use crate::parser::token_set::TokenSet;
use crate::syntax_kind::SyntaxKind::*;

const FIRST: TokenSet =
    TokenSet::new(&[IDENT, T![void], T!['('], T!['['], T![this], T![self], T![here], STRING, CHAR])
        .union(TokenSet::new(&[INT_NUMBER, FLOAT_NUMBER, T![super]]));

pub(super) fn at_first(p: &Parser<'_>) -> bool {
    p.at_set(&FIRST)
}

/// A type whose braces can only be its constraint.
pub(super) fn type_(p: &mut Parser<'_>) -> Option<Completed> {
    type_with(p, BraceMeaning::Constraint)
}

pub(super) fn type_with(p: &mut Parser<'_>, braces: BraceMeaning<'_>) -> Option<Completed> {
    let saved = std::mem::replace(&mut p.at_statement, false);
    let mut found = p.nested(|p| match p.current() {
        T![void] => {
            let m = p.start();
            p.bump();
            Some(m.complete(p, VOID_TYPE))
        }
        IDENT => {
            let m = p.start();
            name_ref(p);
            let ty = m.complete(p, NAMED_TYPE);
            Some(suffixes(p, ty, braces))
        }
        T!['('] | T!['['] => Some(function_type(p, braces)),
        kind if FIRST.contains(kind) => expr_type(p, braces),
        kind => {
            if kind.is_keyword() && !STMT_KEYWORDS.contains(kind) && !p.at_line_start() && kind != T![in] {
                p.error_recover(
                    format!("expected a type, found `{}`", kind.text().unwrap_or_default()),
                    &STOP,
                );
            } else {
                p.missing("expected a type");
            }
            None
        }
    });
    p.at_statement = saved;
    foreign_values::nullable(p);
    if let Some(ty) = found
        && p.at(T![@])
        && annotates_type(p, braces)
    {
        let m = ty.precede(p);
        items::annotations(p);
        found = Some(m.complete(p, ANNOTATED_TYPE));
    }
    found
}

/// Whether the annotation after a type belongs to it, and not to the body or the declaration that follows.
fn annotates_type(p: &Parser<'_>, braces: BraceMeaning<'_>) -> bool {
    let after = p.kind_at(lookahead::after_annotations(p, p.position));
    match after {
        T!['{'] => matches!(braces, BraceMeaning::Constraint),
        T![=] | T![,] | T![')'] | T![']'] | T![;] | T![=>] | T![in] | T![implements] => true,
        _ => !p.at_line_start() && after != T![def],
    }
}

/// The rest of a named type after a name: type arguments, arguments, constraint, and the names selected from
/// it.
pub(super) fn suffixes(p: &mut Parser<'_>, mut ty: Completed, braces: BraceMeaning<'_>) -> Completed {
    let start = p.position - 1;
    for _ in 0..CHAIN_LIMIT {
        if foreign_declarations::is_array(p) {
            return foreign_declarations::array_type(p, start, ty);
        }
        let m = ty.reopen(p);
        if p.at(T!['[']) {
            lists::type_arg_list(p);
        } else if angle_brackets::at_list(p) {
            angle_brackets::type_arg_list(p);
        }
        if p.at(T!['(']) {
            if p.nth(1) == T![')'] {
                p.error("the arguments of a type cannot be empty");
                p.hint(
                    "leave the parentheses out; to call the result of a cast, put the cast in parentheses",
                );
            }
            lists::arg_list(p);
        }
        let is_constraint = p.at(T!['{'])
            && match braces {
                BraceMeaning::Constraint if p.body_follows => false,
                // Statements are the body of a declaration that lacks a bracket before it.
                BraceMeaning::Constraint => p
                    .matching(p.position)
                    .is_none_or(|close| !lookahead::has_statements(p, p.position, close)),
                BraceMeaning::Before(follow) => lookahead::is_condition(p, p.position, follow),
                BraceMeaning::Other => false,
            };
        if is_constraint {
            lists::condition(p, CONSTRAINT);
        }
        ty = m.complete(p, NAMED_TYPE);
        if !p.at(T![.]) {
            break;
        }
        let m = ty.precede(p);
        p.bump();
        let found = name_ref(p);
        ty = m.complete(p, NAMED_TYPE);
        if !found {
            break;
        }
    }
    ty
}

/// `[T](x:T){c} => U`. Without the arrow it is a type in parentheses, which X10 does not have.
fn function_type(p: &mut Parser<'_>, braces: BraceMeaning<'_>) -> Completed {
    let m = p.start();
    lists::type_param_list(p);
    if !p.at(T!['(']) {
        p.missing("expected `(`");
        return m.complete(p, FUNCTION_TYPE);
    }
    let after = p.matching(p.position).map_or(p.position, |it| it + 1);
    let is_function = match p.kind_at(after) {
        T![=>] | T![->] | T![offers] => true,
        T!['{'] => p.matching(after).is_some_and(|it| p.kind_at(it + 1) == T![=>]),
        _ => false,
    };
    let commas = || (p.position + 1..after).any(|it| p.kind_at(it) == T![,]);
    if !is_function && after > p.position && commas() {
        foreign_values::tuple_type(p);
        return m.complete(p, ERROR);
    }
    if !is_function && p.nth(1) != T![')'] && after > p.position {
        p.error("a type cannot stand in parentheses");
        p.hint("leave them out; a function type has `=>` and its result type after them");
        let open = p.position;
        p.bump();
        type_(p);
        lists::close_bracket(p, open, T![')']);
        return m.complete(p, PAREN_TYPE);
    }
    formals::formal_list(p);
    if p.at(T!['{']) && is_function {
        lists::condition(p, GUARD);
    }
    formals::offers(p, BraceMeaning::Constraint);
    if p.at(T![->]) {
        replacement::replaced(p, 1, "the arrow of a function type is `=>`", "write `(Type) => Result`", "=>");
        type_with(p, braces);
    } else if p.expect(T![=>]) {
        type_with(p, braces);
    }
    m.complete(p, FUNCTION_TYPE)
}

/// A type selected from an expression: `this.T`, `self.x.T`.
fn expr_type(p: &mut Parser<'_>, braces: BraceMeaning<'_>) -> Option<Completed> {
    let base = atoms::atom(p)?.node;
    if !p.at(T![.]) {
        p.missing("expected a type");
        let m = base.precede(p);
        return Some(m.complete(p, NAMED_TYPE));
    }
    let m = base.precede(p);
    p.bump();
    name_ref(p);
    let ty = m.complete(p, NAMED_TYPE);
    Some(suffixes(p, ty, braces))
}

/// The type of an annotation: no constraint, no annotation of its own.
pub(super) fn type_with_no_annotations(p: &mut Parser<'_>) {
    if p.at(IDENT) {
        let m = p.start();
        name_ref(p);
        let ty = m.complete(p, NAMED_TYPE);
        suffixes(p, ty, BraceMeaning::Other);
    } else {
        expr_type(p, BraceMeaning::Other);
    }
}
