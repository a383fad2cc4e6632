//! Arguments of XcalableMP's directives (specification 1.4, chapter 4) and array sections: bounds of both
//! spellings, `p(1:4)` and `p[0:4]`.

use super::directive_table::{self, Family};
use super::*;

/// What follows the name of a directive: nodes, templates, arrays, lists in parentheses.
pub(super) fn arguments(p: &mut Parser<'_>) {
    if p.at_end() || at_clause(p) {
        return;
    }
    let m = p.start();
    while !p.at_end() && !at_clause(p) {
        let before = p.position;
        match p.current() {
            COMMA | COLON | EQ | GT => p.bump(),
            L_PAREN if holds_reduction(p) => {
                let m = p.start();
                p.bump();
                clauses::reduction_operator(p);
                p.expect(COLON);
                reduction_items(p);
                p.expect(R_PAREN);
                m.complete(p, MAPPING_REF);
            }
            _ => mapping_ref(p),
        }
        if p.position == before {
            break;
        }
    }
    m.complete(p, DIRECTIVE_ARGUMENT);
}

fn at_clause(p: &Parser<'_>) -> bool {
    let is_clause = directive_table::clauses(Family::XcalableMp).any(|it| p.at_word(it));
    // An array may be named as a clause.
    is_clause && p.nth(1) != L_BRACK
}

/// `(+:x)`.
fn holds_reduction(p: &Parser<'_>) -> bool {
    matches!(p.nth(1), PLUS | MINUS | STAR | AMP | PIPE | CARET | AMP2 | PIPE2) && p.nth(2) == COLON
        || matches!(p.text(1), "max" | "min" | "firstmax" | "firstmin" | "lastmax" | "lastmin")
            && p.nth(2) == COLON
}

/// What a clause maps to, with commas.
pub(super) fn mapping_refs(p: &mut Parser<'_>) {
    loop {
        let before = p.position;
        mapping_ref(p);
        if p.position == before || !p.eat(COMMA) {
            break;
        }
    }
    // `align [i] with t(i) :: a, b`.
    if p.at(COLON) && p.nth(1) == COLON {
        p.bump();
        p.bump();
        mapping_refs(p);
    }
}

/// A name with subscripts, or subscripts alone.
pub(super) fn mapping_ref(p: &mut Parser<'_>) {
    if !matches!(p.current(), IDENT | L_PAREN | L_BRACK) {
        p.error("the name of nodes, a template or an array is missing here");
        return;
    }
    let m = p.start();
    if p.at(IDENT) {
        name_ref(p);
        while p.eat(DOT) {
            name_ref(p);
        }
    }
    while matches!(p.current(), L_PAREN | L_BRACK) {
        let list = p.start();
        let close = if p.at(L_PAREN) { R_PAREN } else { R_BRACK };
        p.bump();
        while !p.at_end() && !p.at(close) {
            let before = p.position;
            let one = p.start();
            subscript_bounds(p);
            one.complete(p, SUBSCRIPT);
            if !p.eat(COMMA) && (p.at(close) || p.position == before) {
                break;
            }
        }
        p.expect(close);
        list.complete(p, SUBSCRIPT_LIST);
    }
    m.complete(p, MAPPING_REF);
}

/// Bounds of a subscript; whether they are a section, and not one expression.
pub(super) fn subscript_bounds(p: &mut Parser<'_>) -> bool {
    if p.at(STAR) && matches!(p.nth(1), COMMA | R_BRACK | R_PAREN) {
        p.bump();
        return true;
    }
    if !p.at(COLON) {
        expressions::assignment(p);
        if !p.at(COLON) {
            return false;
        }
    }
    p.bump();
    // The image of a coarray: `x:[n]`.
    if p.eat(L_BRACK) {
        expressions::assignment(p);
        p.expect(R_BRACK);
        return true;
    }
    if bound_follows(p) {
        expressions::assignment(p);
    }
    if p.eat(COLON) && bound_follows(p) {
        expressions::assignment(p);
    }
    true
}

fn bound_follows(p: &Parser<'_>) -> bool {
    !matches!(p.current(), COLON | COMMA | R_BRACK | R_PAREN | EOF)
}

/// Variables of a reduction, with those that say where it was found: `x/i, j/`.
pub(super) fn reduction_items(p: &mut Parser<'_>) {
    loop {
        expressions::unary(p);
        if p.eat(SLASH) {
            while p.at(IDENT) {
                expressions::unary(p);
                p.eat(COMMA);
            }
            p.expect(SLASH);
        }
        if !p.eat(COMMA) {
            return;
        }
    }
}

/// The parenthesis of `width(/periodic/1:1, 0)` and of `expand(/unbound/1)`.
pub(super) fn widths(p: &mut Parser<'_>) {
    let m = p.start();
    let list = p.start();
    p.bump();
    while !p.at_end() && !p.at(R_PAREN) {
        let before = p.position;
        let one = p.start();
        if p.eat(SLASH) {
            word(p);
            p.expect(SLASH);
        }
        subscript_bounds(p);
        one.complete(p, SUBSCRIPT);
        if !p.eat(COMMA) && (p.at(R_PAREN) || p.position == before) {
            break;
        }
    }
    p.expect(R_PAREN);
    list.complete(p, SUBSCRIPT_LIST);
    m.complete(p, MAPPING_REF);
}
