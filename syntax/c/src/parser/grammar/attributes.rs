//! GNU attributes and assembler labels.

use super::specifiers::at_type;
use super::*;

/// Any number of `__attribute__((...))`.
pub(super) fn attributes(p: &mut Parser<'_>) {
    while p.at(__ATTRIBUTE___KW) {
        attribute_specifier(p);
    }
}

fn attribute_specifier(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    p.expect(L_PAREN);
    p.expect(L_PAREN);
    while !p.at_end() && !p.at(R_PAREN) {
        if p.eat(COMMA) {
            continue;
        }
        if !p.at(IDENT) && !p.current().is_keyword() {
            p.bump_error("the name of an attribute is missing here");
            continue;
        }
        attribute(p);
        if !p.at(COMMA) && !p.at(R_PAREN) {
            p.error("`,` or `)` is missing here");
            p.skip_to(TokenSet::new(&[COMMA, R_PAREN, SEMICOLON, L_CURLY, R_CURLY]));
            if !p.at(COMMA) {
                break;
            }
        }
    }
    p.expect(R_PAREN);
    p.expect(R_PAREN);
    m.complete(p, ATTRIBUTE_SPECIFIER);
}

fn attribute(p: &mut Parser<'_>) {
    let m = p.start();
    word(p);
    if p.eat(L_PAREN) {
        while !p.at_end() && !p.at(R_PAREN) {
            let before = p.position;
            match at_type(p, 0) {
                true => specifiers::type_name(p),
                false => {
                    expressions::assignment(p);
                }
            }
            if !p.eat(COMMA) && !p.at(R_PAREN) {
                p.error("`,` or `)` is missing here");
                p.skip_to(TokenSet::new(&[COMMA, R_PAREN, SEMICOLON, L_CURLY, R_CURLY]));
                if p.position == before {
                    break;
                }
            }
        }
        p.expect(R_PAREN);
    }
    m.complete(p, ATTRIBUTE);
}

/// `__asm__("name")` behind a declarator.
pub(super) fn asm_label(p: &mut Parser<'_>) {
    if !p.at(ASM_KW) {
        return;
    }
    let m = p.start();
    p.bump();
    p.expect(L_PAREN);
    primary::string_literal(p);
    p.expect(R_PAREN);
    m.complete(p, ASM_LABEL);
}
