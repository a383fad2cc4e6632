//! Expressions (C17 6.5): operators, casts and what follows a primary expression.

use super::operators::power;
use super::specifiers::{at_type, type_name};
use super::*;

/// An expression with commas.
pub(super) fn expression(p: &mut Parser<'_>) {
    let Some(mut left) = assignment(p) else { return };
    while p.at(COMMA) {
        let m = left.precede(p);
        p.bump();
        assignment(p);
        left = m.complete(p, COMMA_EXPR);
    }
}

/// An expression without commas.
pub(super) fn assignment(p: &mut Parser<'_>) -> Option<Completed> {
    p.nested(|p| {
        let left = conditional(p)?;
        if !p.current().is_assignment() {
            return Some(left);
        }
        let m = left.precede(p);
        p.bump();
        assignment(p);
        Some(m.complete(p, ASSIGN_EXPR))
    })
}

/// An expression without assignments, as constants are.
pub(super) fn conditional(p: &mut Parser<'_>) -> Option<Completed> {
    p.nested(|p| {
        let condition = binary(p, 1)?;
        if !p.at(QUESTION) {
            return Some(condition);
        }
        let m = condition.precede(p);
        p.bump();
        // Between `?` and `:` a colon ends no section.
        let sections = std::mem::replace(&mut p.allows_sections, false);
        if !p.at(COLON) {
            expression(p);
        }
        p.allows_sections = sections;
        p.expect(COLON);
        conditional(p);
        Some(m.complete(p, COND_EXPR))
    })
}

fn binary(p: &mut Parser<'_>, least: u8) -> Option<Completed> {
    let mut left = unary(p)?;
    while let Some(power) = power(p.current()).filter(|it| *it >= least) {
        let m = left.precede(p);
        p.bump();
        binary(p, power + 1);
        left = m.complete(p, BIN_EXPR);
    }
    Some(left)
}

/// An expression with operators before it, and casts.
pub(super) fn unary(p: &mut Parser<'_>) -> Option<Completed> {
    match p.current() {
        PLUS2 | MINUS2 | AMP | STAR | PLUS | MINUS | TILDE | BANG | __REAL___KW | __IMAG___KW => {
            prefix(p, PREFIX_EXPR)
        }
        __EXTENSION___KW => prefix(p, EXTENSION_EXPR),
        SIZEOF_KW => size_of(p, SIZEOF_EXPR),
        _ALIGNOF_KW => size_of(p, ALIGNOF_EXPR),
        AMP2 => {
            let m = p.start();
            p.bump();
            name_ref(p);
            Some(m.complete(p, LABEL_ADDRESS_EXPR))
        }
        L_PAREN if at_type(p, 1) => cast(p),
        _ => {
            let primary = primary::primary(p)?;
            Some(suffixes(p, primary))
        }
    }
}

fn prefix(p: &mut Parser<'_>, kind: SyntaxKind) -> Option<Completed> {
    p.nested(|p| {
        let m = p.start();
        p.bump();
        unary(p);
        Some(m.complete(p, kind))
    })
}

/// `sizeof` and `_Alignof`.
fn size_of(p: &mut Parser<'_>, kind: SyntaxKind) -> Option<Completed> {
    p.nested(|p| {
        let m = p.start();
        p.bump();
        if p.at(L_PAREN) && at_type(p, 1) {
            let literal = p.start();
            p.bump();
            type_name(p);
            p.expect(R_PAREN);
            if p.at(L_CURLY) {
                initializers::initializer_list(p);
                let literal = literal.complete(p, COMPOUND_LITERAL);
                suffixes(p, literal);
            } else {
                literal.abandon(p);
            }
        } else {
            unary(p);
        }
        Some(m.complete(p, kind))
    })
}

/// A cast or a compound literal.
fn cast(p: &mut Parser<'_>) -> Option<Completed> {
    p.nested(|p| {
        let m = p.start();
        p.bump();
        type_name(p);
        p.expect(R_PAREN);
        if p.at(L_CURLY) {
            initializers::initializer_list(p);
            let literal = m.complete(p, COMPOUND_LITERAL);
            return Some(suffixes(p, literal));
        }
        unary(p);
        Some(m.complete(p, CAST_EXPR))
    })
}

/// Calls, subscripts, members and increments.
fn suffixes(p: &mut Parser<'_>, first: Completed) -> Completed {
    let mut left = first;
    loop {
        match p.current() {
            L_PAREN => {
                let m = left.precede(p);
                arguments(p);
                left = m.complete(p, CALL_EXPR);
            }
            L_BRACK => left = subscript(p, left),
            DOT | ARROW => {
                let m = left.precede(p);
                p.bump();
                name_ref(p);
                left = m.complete(p, MEMBER_EXPR);
            }
            PLUS2 | MINUS2 => {
                let m = left.precede(p);
                p.bump();
                left = m.complete(p, POSTFIX_EXPR);
            }
            COLON if p.allows_sections && p.nth(1) == L_BRACK && !p.in_directive => {
                let m = left.precede(p);
                p.bump();
                p.bump();
                expression(p);
                p.expect(R_BRACK);
                left = m.complete(p, COARRAY_EXPR);
            }
            _ => return left,
        }
    }
}

fn subscript(p: &mut Parser<'_>, base: Completed) -> Completed {
    let m = base.precede(p);
    p.bump();
    if p.allows_sections {
        let section = p.start();
        if xcalablemp::subscript_bounds(p) {
            section.complete(p, SUBSCRIPT);
            p.expect(R_BRACK);
            return m.complete(p, SECTION_EXPR);
        }
        section.abandon(p);
    } else {
        expression(p);
    }
    p.expect(R_BRACK);
    m.complete(p, INDEX_EXPR)
}

fn arguments(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    let sections = p.allows_sections;
    p.allows_sections &= !p.in_directive;
    while !p.at_end() && !p.at(R_PAREN) {
        let before = p.position;
        // Types are arguments of some built-in functions.
        if p.in_directive && p.at(STAR) && matches!(p.nth(1), COMMA | R_PAREN) {
            // `gblock(*)`.
            clauses::keyword_item(p);
        } else if at_type(p, 0) {
            type_name(p);
        } else {
            assignment(p);
        }
        if !p.eat(COMMA) {
            if p.at(R_PAREN) {
                break;
            }
            p.error("`,` or `)` is missing here");
            p.skip_to(TokenSet::new(&[COMMA, R_PAREN, SEMICOLON, L_CURLY, R_CURLY]));
            if !p.eat(COMMA) || p.position == before {
                break;
            }
        }
    }
    p.allows_sections = sections;
    p.expect(R_PAREN);
    m.complete(p, ARGUMENT_LIST);
}
