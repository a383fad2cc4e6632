//! Initialisers (C17 6.7.9) with GNU's ranges and old designators.

use super::*;

/// An expression or a list in braces.
pub(super) fn initializer(p: &mut Parser<'_>) {
    if p.at(L_CURLY) {
        initializer_list(p);
    } else {
        expressions::assignment(p);
    }
}

/// `{ ... }`.
pub(super) fn initializer_list(p: &mut Parser<'_>) {
    p.nested(|p| {
        let m = p.start();
        p.bump();
        while !p.at_end() && !p.at(R_CURLY) {
            let before = p.position;
            let item = p.start();
            designation(p);
            initializer(p);
            item.complete(p, INIT_ITEM);
            if !p.eat(COMMA) {
                if p.at(R_CURLY) {
                    break;
                }
                p.error("`,` or `}` is missing here");
                p.skip_to(TokenSet::new(&[COMMA, R_CURLY, SEMICOLON]));
                if !p.eat(COMMA) || p.position == before {
                    break;
                }
            }
        }
        p.expect(R_CURLY);
        m.complete(p, INIT_LIST);
        Some(())
    });
}

fn designation(p: &mut Parser<'_>) {
    let is_old = p.at(IDENT) && p.nth(1) == COLON;
    if !is_old && !p.at(DOT) && !p.at(L_BRACK) {
        return;
    }
    let m = p.start();
    if is_old {
        let one = p.start();
        name_ref(p);
        p.bump();
        one.complete(p, FIELD_DESIGNATOR);
        m.complete(p, DESIGNATION);
        return;
    }
    loop {
        let one = p.start();
        match p.current() {
            DOT => {
                p.bump();
                name_ref(p);
                one.complete(p, FIELD_DESIGNATOR);
            }
            L_BRACK => {
                p.bump();
                expressions::conditional(p);
                if p.eat(ELLIPSIS) {
                    expressions::conditional(p);
                }
                p.expect(R_BRACK);
                one.complete(p, INDEX_DESIGNATOR);
            }
            _ => {
                one.abandon(p);
                break;
            }
        }
    }
    // GNU: `[0] value` needs no `=`.
    p.eat(EQ);
    m.complete(p, DESIGNATION);
}
