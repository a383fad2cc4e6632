//! Primary expressions (C17 6.5.1) and GNU's built-in operators.

use super::specifiers::{at_type, type_name};
use super::*;

/// A primary expression. At anything else an error, and nothing is taken.
pub(super) fn primary(p: &mut Parser<'_>) -> Option<Completed> {
    let m = p.start();
    let kind = match p.current() {
        IDENT => {
            name_ref(p);
            NAME_EXPR
        }
        INT_NUMBER | FLOAT_NUMBER | CHAR => {
            p.bump();
            LITERAL
        }
        STRING => {
            while p.at(STRING) {
                p.bump();
            }
            STRING_LITERAL
        }
        L_PAREN => {
            p.bump();
            if p.at(L_CURLY) {
                statements::block(p, true);
                p.expect(R_PAREN);
                STMT_EXPR
            } else {
                expressions::expression(p);
                p.expect(R_PAREN);
                PAREN_EXPR
            }
        }
        _GENERIC_KW => {
            generic(p);
            GENERIC_EXPR
        }
        __BUILTIN_VA_ARG_KW => {
            p.bump();
            p.expect(L_PAREN);
            expressions::assignment(p);
            p.expect(COMMA);
            type_name(p);
            p.expect(R_PAREN);
            VA_ARG_EXPR
        }
        __BUILTIN_OFFSETOF_KW => {
            p.bump();
            p.expect(L_PAREN);
            type_name(p);
            p.expect(COMMA);
            member_path(p);
            p.expect(R_PAREN);
            OFFSETOF_EXPR
        }
        __BUILTIN_TYPES_COMPATIBLE_P_KW => {
            p.bump();
            p.expect(L_PAREN);
            type_name(p);
            p.expect(COMMA);
            type_name(p);
            p.expect(R_PAREN);
            TYPES_COMPATIBLE_EXPR
        }
        __BUILTIN_CHOOSE_EXPR_KW => {
            p.bump();
            p.expect(L_PAREN);
            expressions::assignment(p);
            p.expect(COMMA);
            expressions::assignment(p);
            p.expect(COMMA);
            expressions::assignment(p);
            p.expect(R_PAREN);
            CHOOSE_EXPR
        }
        _ => {
            m.abandon(p);
            p.error("an expression is missing here");
            return None;
        }
    };
    Some(m.complete(p, kind))
}

/// String literals: adjacent ones are one.
pub(super) fn string_literal(p: &mut Parser<'_>) {
    if !p.at(STRING) {
        return p.error("a string literal is missing here");
    }
    let m = p.start();
    while p.at(STRING) {
        p.bump();
    }
    m.complete(p, STRING_LITERAL);
}

fn generic(p: &mut Parser<'_>) {
    p.bump();
    p.expect(L_PAREN);
    expressions::assignment(p);
    while p.eat(COMMA) {
        let m = p.start();
        if !p.eat(DEFAULT_KW) {
            type_name(p);
        }
        p.expect(COLON);
        expressions::assignment(p);
        m.complete(p, GENERIC_ASSOCIATION);
    }
    p.expect(R_PAREN);
}

fn member_path(p: &mut Parser<'_>) {
    let m = p.start();
    name_ref(p);
    while matches!(p.current(), DOT | L_BRACK) {
        let step = p.start();
        if p.eat(DOT) {
            name_ref(p);
        } else {
            p.bump();
            expressions::expression(p);
            p.expect(R_BRACK);
        }
        step.complete(p, MEMBER_STEP);
    }
    m.complete(p, MEMBER_PATH);
}

/// Whether an expression can start here: for lists whose items may be absent.
pub(super) fn at_expression(p: &Parser<'_>) -> bool {
    const START: TokenSet = TokenSet::new(&[
        IDENT,
        INT_NUMBER,
        FLOAT_NUMBER,
        CHAR,
        STRING,
        L_PAREN,
        PLUS2,
        MINUS2,
        AMP,
        STAR,
        PLUS,
        MINUS,
        TILDE,
        BANG,
        AMP2,
        SIZEOF_KW,
        _ALIGNOF_KW,
        _GENERIC_KW,
        __EXTENSION___KW,
        __REAL___KW,
        __IMAG___KW,
        __BUILTIN_VA_ARG_KW,
        __BUILTIN_OFFSETOF_KW,
        __BUILTIN_TYPES_COMPATIBLE_P_KW,
        __BUILTIN_CHOOSE_EXPR_KW,
    ]);
    p.at_set(START) && !(p.at(IDENT) && at_type(p, 0))
}
